"""What can go wrong between a process and the log."""


class LogError(Exception):
    """Base of everything this package raises."""


class Forbidden(LogError):
    """The server denies this role the subject; names it."""


class Unavailable(LogError):
    """The log did not answer in time. What was asked may still have happened."""


class Closed(LogError):
    """This process' connection has ended for good, by itself or by the server's refusal: nothing more will come."""


class Refused(LogError):
    """JetStream said no; `code` is its error code."""

    def __init__(self, code: int, description: str) -> None:
        super().__init__(f"{description} ({code})")
        self.code = code


class Conflict(LogError):
    """Somebody else wrote first: the expected fact is no longer the last on its subject."""


class Lost(LogError):
    """The account has another owner; this appender writes no more, ever."""


class LeaseLost(LogError):
    """The lease could not be renewed in time, or somebody took it."""


class TooMuch(LogError):
    """A batch has more facts than JetStream takes in one, or a fact more bytes."""


class NotAsDeclared(LogError):
    """A stream differs from `contracts.streams`, or is missing; names every difference."""


class PartitionsFixed(LogError):
    """The log was made with another number of partitions, which can't change: users would change partitions."""
