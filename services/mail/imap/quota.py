"""GETQUOTAROOT (RFC 9208 §4.1.2): how much of the room that an account has on its server is taken."""

from collections.abc import Iterable

from contracts.provider import MailboxError, ProviderProtocolError, Quota
from services.mail.imap import errors, parse
from services.mail.imap.framer import Reply
from services.mail.imap.session import Session

UNIT = 1024
"""Octets: STORAGE is counted in these (RFC 9208 §5.1)."""


async def quota(session: Session) -> Quota | None:
    """The fullest root of INBOX; None where the server counts nothing, or does not say it so that it can be understood."""
    if not session.can("QUOTA"):
        return None
    try:
        answer = await session.command("GETQUOTAROOT", session.name("INBOX"))
        found = list(_storage(answer.replies))
    except (MailboxError, ProviderProtocolError):
        if session.closed:
            raise
        return None
    return max(found, key=lambda one: one.used / one.limit, default=None)


def _storage(replies: Iterable[Reply]) -> Iterable[Quota]:
    """Of `* QUOTA "root" (STORAGE 10 512 MESSAGE 1 1000)`; a limit of nothing is none."""
    for reply in replies:
        if parse.head(reply)[1] != "QUOTA":
            continue
        values = parse.untagged(reply).values
        resources = values[1] if len(values) > 1 else None
        if not isinstance(resources, list):
            raise errors.protocol("a QUOTA reply without a list")
        for name, used, limit in zip(resources[::3], resources[1::3], resources[2::3], strict=False):
            if parse.atom(name).upper() == "STORAGE" and parse.number(limit) > 0:
                yield Quota(used=parse.number(used) * UNIT, limit=parse.number(limit) * UNIT)
