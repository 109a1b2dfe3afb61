"""IDLE (RFC 2177): waiting for the server to say that a mailbox has changed."""

import asyncio

from contracts.provider import MailboxStatus
from services.mail.imap import errors
from services.mail.imap.select import examine
from services.mail.imap.session import Session, tells_change

REISSUE_SECONDS = 9 * 60.0  # routers and servers forget a silent connection long before the 29 minutes of RFC 2177
SHORTEST_WAIT = 1.0


async def idle(session: Session, mailbox: str, status: MailboxStatus, *, reissue: float) -> None:
    """Returns when the mailbox may not be as in `status`.

    A connection that has waited for it, and did nothing else since, is told by the server whatever happens. Any other
    compares first: the change may have come before, or among the answers to something else.
    """
    if not session.can("IDLE"):
        raise errors.not_supported("the server can't tell of new mail by itself")
    if session.waited != mailbox:
        if await examine(session, mailbox) != status:
            return
        session.waited = mailbox
    clock = asyncio.get_running_loop().time
    while not session.changed:
        began = clock()
        answer = await session.wire.idle(reissue, tells_change)
        if answer.status.kind != "OK":
            raise errors.not_supported("the server refuses to tell of new mail by itself")
        if any(tells_change(reply) for reply in answer.replies):
            return
        if clock() - began < min(reissue / 2, SHORTEST_WAIT):
            raise errors.not_supported("the server doesn't wait: it ends IDLE at once")
    session.changed = False
