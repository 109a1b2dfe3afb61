"""What can be wrong with a letter that was asked for."""


class ComposeError(Exception):
    """The base of this package's errors."""


class BadAddress(ComposeError):
    """`address`, as it was given, names no mailbox: mail can't be sent to it."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address!r} is no e-mail address")
        self.address = address


class BadMessageId(ComposeError):
    """An id of ours that can't stand in a header (RFC 5322 §3.6.4)."""
