"""What follows from a try that failed: a refusal, or another try after a while."""

from typing import NamedTuple

from contracts.provider import (
    MailboxError,
    ProviderAuthError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
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


def code(error: Exception) -> str:
    """Of what was tried in vain often enough."""
    return error.code if isinstance(error, ProviderError) else "internal"
