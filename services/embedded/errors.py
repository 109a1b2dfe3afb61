"""What can go wrong while servers are started as children."""


class EmbeddedError(Exception):
    """Base of everything the embedded servers raise; its text is written for the person at the terminal."""


class ServerDidNotStart(EmbeddedError):
    """A child ended, or was not ready in time; carries the last lines of its log."""


class FolderInUse(EmbeddedError):
    """Another process already runs on this data folder."""


class PieceMissing(EmbeddedError):
    """A program that the embedded servers need is not installed."""
