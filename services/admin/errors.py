"""What an administrator's command says instead of doing its work."""


class CommandFailed(Exception):
    """The text is for the person at the terminal."""
