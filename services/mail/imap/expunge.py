r"""UID EXPUNGE (RFC 4315 §2.1): removes messages for ever, and no others.

Without UIDPLUS there is only EXPUNGE, which takes whatever is marked \Deleted, by whomever. So it is given only when
nothing else is marked. Else the messages stay, marked, and are not told as gone: somebody else has marked mail that he may
want to keep, and he or his program expunges in time. What is left is the moment between the look and the EXPUNGE.
"""

from collections.abc import Sequence

from contracts.provider import MailboxError
from services.mail.imap import sets
from services.mail.imap.search import search
from services.mail.imap.session import Session
from services.mail.imap.store import ADD, store

DELETED = frozenset({"\\Deleted"})


async def delete(session: Session, uids: Sequence[int]) -> list[int]:
    """Of these, all that are not in the mailbox now, also those that somebody else removed."""
    gone: list[int] = []
    for portion in sets.portions(uids):
        refusals = await expunge(session, portion)
        there = set(await search(session, b"UID " + sets.text(portion)))
        if refusals and there:
            raise refusals[0]
        gone += [uid for uid in portion if uid not in there]
    return gone


async def expunge(session: Session, uids: list[int]) -> list[MailboxError]:
    """Marks these and removes them. A server may refuse to mark what is gone already (RFC 2180 §4.2.1)."""
    refusals = await store(session, uids, ADD, DELETED)
    if session.can("UIDPLUS"):
        await session.using("UIDPLUS", lambda: _these(session, uids), lambda: _if_alone(session, uids))
    else:
        await _if_alone(session, uids)
    return refusals


async def _these(session: Session, uids: list[int]) -> None:
    await session.command("UID EXPUNGE", sets.text(uids))


async def _if_alone(session: Session, uids: list[int]) -> None:
    await session.command("NOOP")  # the server tells what others have marked meanwhile
    if set(await search(session, b"DELETED")) <= set(uids):
        await session.command("EXPUNGE")
