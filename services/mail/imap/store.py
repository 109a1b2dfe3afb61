r"""UID STORE of flags (RFC 3501 §6.4.6): adds and removes, never replaces, and reads back what came of it."""

from collections.abc import Sequence

from contracts.provider import FlagsPushed, MailboxError, MailboxStatus
from services.mail.imap import fetch, flags, sets
from services.mail.imap.session import Session

ADD, REMOVE = b"+FLAGS.SILENT", b"-FLAGS.SILENT"


async def push_flags(
    session: Session, status: MailboxStatus, uids: Sequence[int], add: frozenset[str], remove: frozenset[str]
) -> dict[int, FlagsPushed]:
    """A flag that the server refuses takes no other with it; when it refuses all of them, that is an error."""
    pushed: dict[int, FlagsPushed] = {}
    for portion in sets.portions(uids):
        refusals = await store(session, portion, ADD, add) + await store(session, portion, REMOVE, remove)
        now = await _held(session, status, portion)
        done = all(add <= (held.flags or add) and not remove & (held.flags or frozenset()) for held in now.values())
        if refusals and len(refusals) == len(add) + len(remove) and not done:
            raise refusals[0]
        pushed |= now
    return pushed


async def store(session: Session, uids: Sequence[int], how: bytes, wanted: frozenset[str]) -> list[MailboxError]:
    """All at once, and each by itself where the server does not take them together. One refusal for each refused."""
    storable = sorted(flag for flag in wanted if flags.STORABLE.fullmatch(flag))
    refusals = [MailboxError("rejected", "not a flag that a server can hold")] * (len(wanted) - len(storable))
    if not storable:
        return refusals
    try:
        await session.command("UID STORE", sets.text(uids), how, flags.write(storable))
    except MailboxError as refusal:
        if len(storable) == 1:
            return [*refusals, refusal]
        for flag in storable:
            refusals += await store(session, uids, how, frozenset({flag}))
    return refusals


async def _held(session: Session, status: MailboxStatus, uids: list[int]) -> dict[int, FlagsPushed]:
    async def held(items: bytes) -> dict[int, FlagsPushed]:
        answer = await session.command("UID FETCH", sets.text(uids), items)
        wanted = set(uids)
        return {
            uid: FlagsPushed(flags=flags.read(told["FLAGS"]) if "FLAGS" in told else None, modseq=fetch.modseq(told))
            for uid, told in fetch.by_uid(answer).items()
            if uid in wanted
        }

    if session.condstore and status.highestmodseq is not None:
        return await session.using("CONDSTORE", lambda: held(b"(UID FLAGS MODSEQ)"), lambda: held(b"(UID FLAGS)"))
    return await held(b"(UID FLAGS)")
