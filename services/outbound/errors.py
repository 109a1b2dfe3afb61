"""What can become of a request beside what the provider and the log say themselves."""


class OutboundError(Exception):
    """Base of all."""


class NotYet(OutboundError):
    """What is meant can't be named on the server just now: the read model is behind, or sync has not numbered it."""


class CannotBe(OutboundError):
    """Not on this server, or not any more; `code` is the refusal's."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Overtaken(OutboundError):
    """Something else was said of a send before we could say what we meant to."""
