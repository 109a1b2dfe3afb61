"""What can be wrong with a question to the mail read model."""


class MailError(Exception):
    """The base of all below."""


class UnknownView(MailError):
    """No list has this name."""


class BadCursor(MailError):
    """The cursor is not one that a page gave out."""
