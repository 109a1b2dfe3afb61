"""One look at what changed in a mailbox: by its log of changes (RFC 7162), else by comparing everything."""

from collections.abc import Mapping

from contracts.provider import FlagChange, KnownMessages, MailboxDelta, MailboxStatus, Seen
from services.mail.imap import fetch, flags, parse, sets
from services.mail.imap.search import ranges, search
from services.mail.imap.select import examine
from services.mail.imap.session import Session

WINDOW = 20_000  # messages compared at a time

Ranges = list[tuple[int, int]]
Changes = tuple[list[FlagChange], Ranges]


async def poll(session: Session, mailbox: str, seen: Seen, known: KnownMessages) -> MailboxDelta:
    """EXAMINE comes first: its HIGHESTMODSEQ is older than any change missed here, so the next poll tells it."""
    status = await examine(session, mailbox)
    if status.uidvalidity != seen.uidvalidity:
        return MailboxDelta(status=status, reset=True)
    new = await _new(session, status, seen)

    async def compared() -> Changes:
        return await _compared(session, await known.flags(mailbox, seen.uidvalidity), seen.high_uid)

    changes: list[FlagChange] = []
    gone: Ranges = []
    if seen.high_uid and _has_log(session, status, seen):
        changes, gone = await session.using(
            "CONDSTORE", lambda: _logged(session, mailbox, status, seen, known), compared
        )
    elif seen.high_uid:
        changes, gone = await compared()
    return MailboxDelta(status=status, new_uids=new, flag_changes=tuple(changes), expunged=sets.joined(sorted(gone)))


def _has_log(session: Session, status: MailboxStatus, seen: Seen) -> bool:
    """A HIGHESTMODSEQ below the one we know means that the server lost its log, though UIDs are still good."""
    if not session.condstore or status.highestmodseq is None or seen.highestmodseq is None:
        return False
    return status.highestmodseq >= seen.highestmodseq


async def _new(session: Session, status: MailboxStatus, seen: Seen) -> tuple[int, ...]:
    """Only what was there at EXAMINE, so that the status told covers it; what came since is the next poll's."""
    if status.uidnext <= seen.high_uid + 1:
        return ()
    found = await search(session, b"UID %d:%d" % (seen.high_uid + 1, status.uidnext - 1))
    return tuple(uid for uid in found if seen.high_uid < uid < status.uidnext)


async def _logged(session: Session, mailbox: str, status: MailboxStatus, seen: Seen, known: KnownMessages) -> Changes:
    changes: list[FlagChange] = []
    gone: Ranges = []
    if status.highestmodseq != seen.highestmodseq and session.qresync:
        changes, gone = await session.using(
            "QRESYNC", lambda: _since(session, seen, b" VANISHED"), lambda: _since(session, seen)
        )
    elif status.highestmodseq != seen.highestmodseq:
        changes, _ = await _since(session, seen)
    if not session.qresync:
        # An expunge need not move HIGHESTMODSEQ without QRESYNC.
        remembered = await known.flags(mailbox, seen.uidvalidity)
        there = set(await search(session, b"UID 1:%d" % seen.high_uid))
        gone = [(uid, uid) for uid in remembered if uid <= seen.high_uid and uid not in there]
    return changes, gone


async def _since(session: Session, seen: Seen, vanished: bytes = b"") -> Changes:
    modifiers = b"(CHANGEDSINCE %d%b)" % (max(1, seen.highestmodseq or 1), vanished)
    answer = await session.command("UID FETCH", b"1:%d" % seen.high_uid, _items(session), modifiers)
    changes = [
        _change(session, uid, items)
        for uid, items in fetch.by_uid(answer).items()
        if uid <= seen.high_uid and "FLAGS" in items
    ]
    gone: Ranges = []
    for reply in answer.replies:
        if parse.head(reply)[1] == "VANISHED":
            gone += _vanished(parse.untagged(reply).values, seen.high_uid)
    return changes, gone


async def _compared(session: Session, remembered: Mapping[int, frozenset[str]], high_uid: int) -> Changes:
    """All flags against those remembered, a window at a time. UIDs that we never told are still to be fetched.

    Labels are not remembered, so where there are any everything is told.
    """
    changes: list[FlagChange] = []
    gone: Ranges = []
    uids = sorted(uid for uid in remembered if uid <= high_uid)
    for start in range(0, len(uids), WINDOW):
        window = uids[start : start + WINDOW]
        answer = await session.command("UID FETCH", b"%d:%d" % (window[0], window[-1]), _items(session))
        now = {uid: items for uid, items in fetch.by_uid(answer).items() if "FLAGS" in items}
        for uid in window:
            if uid not in now:
                gone.append((uid, uid))
            elif (change := _change(session, uid, now[uid])).labels is not None or change.flags != remembered[uid]:
                changes.append(change)
    return changes, gone


def _items(session: Session) -> bytes:
    return b"(UID FLAGS X-GM-LABELS)" if session.labelled else b"(UID FLAGS)"


def _change(session: Session, uid: int, items: fetch.Items) -> FlagChange:
    return FlagChange(
        uid=uid, flags=flags.read(items["FLAGS"]), modseq=fetch.modseq(items), labels=fetch.labels(session, items)
    )


def _vanished(values: list[parse.Value], high_uid: int) -> Ranges:
    """`VANISHED [(EARLIER)] set` (RFC 7162 §3.2.10), cut off above what we know."""
    text = parse.atom(values[-1] if values else None)
    return [(first, min(last, high_uid)) for first, last in ranges(text) if first <= high_uid]
