"""What follows from a try that failed: a refusal, or another try after a while."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from contracts.provider import (
    MailboxError,
    ProviderAuthError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
    RecipientsRefused,
)
from services.database import UNAVAILABLE
from services.outbound.errors import CannotBe, NotYet
from services.state.errors import AccountPaused, SecretMissing

RETRY, RETRY_MOST = 0.5, 300.0
"""Seconds before a request is tried again, doubled each time."""

SOON = 2.0
"""Seconds at the most between two looks for what sync is about to tell."""

PAUSED = 10.0
"""The same between two looks whether its owner goes on with a paused account."""

SENDING = 2.0
"""The same before a mail is tried again to be sent."""

CERTAIN = 2
"""Logins that a submission server refuses, before it is believed: more would lock some people out."""

FORESEEN = 5
"""Tries of what fails in a way that nobody foresaw."""


class Follows(NamedTuple):
    """`refused`: the code, empty where it is tried again, after `most` seconds at the most. `strange`: nobody foresaw it."""

    refused: str = ""
    most: float = RETRY_MOST
    strange: bool = False


def follows(error: Exception) -> Follows:
    """A mailbox that is numbered anew is listed anew by sync, and the request waits for that."""
    match error:
        case CannotBe() | ProviderAuthError() | ProviderNotSupported():
            return Follows(refused=error.code)
        case SecretMissing():
            return Follows(refused=error.code)
        case MailboxError() if error.code != "uidvalidity_changed":
            return Follows(refused=error.code)
        case MailboxError() | NotYet():
            return Follows(most=SOON)
        case AccountPaused():
            return Follows(most=PAUSED)
        case ProviderConnectError():
            return Follows()
    return Follows(strange=not isinstance(error, UNAVAILABLE))


class Trouble:
    """That of one send. It is given up `expires` after it was due."""

    def __init__(self, expires: timedelta) -> None:
        self._expires = expires
        self._pause = SENDING
        self._most = RETRY_MOST
        self._strange = self._logins = 0

    def failed(self, error: Exception, due: datetime) -> str:
        """The code with which it fails; empty where it is to be tried again."""
        next_ = follows(error)
        self._most = next_.most
        self._strange += next_.strange
        self._logins += isinstance(error, ProviderAuthError)
        passing = isinstance(error, RecipientsRefused) and any(one.code < 500 for one in error.refused.values())
        if next_.refused and not passing and not 0 < self._logins < CERTAIN:
            return "refused_recipients" if isinstance(error, RecipientsRefused) else next_.refused
        if self._strange == FORESEEN:
            return code(error)
        late = datetime.now(UTC) - due > self._expires
        return (error.code if isinstance(error, ProviderError) else "expired") if late else ""

    def next_pause(self) -> float:
        pause, self._pause = self._pause, min(self._pause * 2, RETRY_MOST)
        return min(pause, self._most)


def code(error: Exception) -> str:
    """Of what was tried in vain often enough."""
    return error.code if isinstance(error, ProviderError) else "internal"
