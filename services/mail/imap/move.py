r"""UID MOVE (RFC 6851), or COPY and removal where the server has none.

Where a message went is known by COPYUID (RFC 4315 §3), else by its Message-ID among what has come into the target since
its UIDNEXT was noted, if only one message there and only one of those moved has it; else it is unknown, never guessed.
Without MOVE and UIDPLUS a moved message may stay behind, marked \Deleted (`expunge`).
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from contracts import uidset
from contracts.provider import MailboxError, Placed
from services.mail.imap import parse, sets
from services.mail.imap.expunge import delete
from services.mail.imap.find import come_since, message_ids, noted
from services.mail.imap.select import ensure, select
from services.mail.imap.session import Session
from services.mail.imap.wire import Answer

COPYUID = re.compile(rb"(\d{1,10}) ([\d,:]+) ([\d,:]+)")


async def move(
    session: Session, uids: Sequence[int], *, uidvalidity: int, source: str, target: str
) -> dict[int, Placed]:
    placed: dict[int, Placed] = {}
    for portion in sets.portions(uids):
        await ensure(session, source, uidvalidity, opening=select)
        there = await message_ids(session, portion)
        if source == target:
            placed |= {uid: Placed(uidvalidity=uidvalidity, uid=uid) for uid in there}
        elif there:
            placed |= await _whatever_is_left(session, there, target)
    return placed


async def _whatever_is_left(session: Session, there: Mapping[int, bytes], target: str) -> dict[int, Placed]:
    """For one message that somebody else has just taken away servers refuse to move all: then the others are asked for alone."""
    while there:
        try:
            return await _portion(session, there, target)
        except MailboxError:
            await session.command("NOOP")  # the server's leave to tell what has gone (RFC 3501 §7.4.1)
            left = await message_ids(session, list(there))
            if left.keys() >= there.keys():
                raise
            there = left
    return {}


async def _portion(session: Session, there: Mapping[int, bytes], target: str) -> dict[int, Placed]:
    before = await noted(session, target)
    uids = list(there)
    if session.can("MOVE"):
        answer = await session.using(
            "MOVE", lambda: _moved(session, uids, target), lambda: _copied(session, uids, target)
        )
    else:
        answer = await _copied(session, uids, target)
    uidvalidity, known = read_copyuid(answer)
    unknown = {uid: message_id for uid, message_id in there.items() if uid not in known}
    if unknown:
        come = await come_since(session, target, before)
        known |= matched(unknown, {uid: message_id for uid, message_id in come.items() if uid not in known.values()})
        uidvalidity = uidvalidity or (before.uidvalidity if before is not None else None)
    return {uid: Placed(uidvalidity=uidvalidity, uid=known.get(uid)) for uid in there}


async def _moved(session: Session, uids: list[int], target: str) -> Answer:
    return await session.command("UID MOVE", sets.text(uids), session.name(target))


async def _copied(session: Session, uids: list[int], target: str) -> Answer:
    answer = await session.command("UID COPY", sets.text(uids), session.name(target))
    await delete(session, uids)
    return answer


def read_copyuid(answer: Answer) -> tuple[int | None, dict[int, int]]:
    """The target's UIDVALIDITY and new UIDs by old ones; one that is empty or does not add up says nothing."""
    told = [parse.status(reply[0][2:]) for reply in answer.replies if parse.head(reply)[1] == "OK"]
    uidvalidity: int | None = None
    known: dict[int, int] = {}
    for status in (*told, answer.status):
        found = COPYUID.fullmatch(status.argument) if status.code == "COPYUID" else None
        if found is None:
            continue
        try:
            old, new = (uidset.ranges(text.decode("ascii")) for text in found.groups()[1:])
        except ValueError:
            continue
        lengths = [sum(last - first + 1 for first, last in spans) for spans in (old, new)]
        if lengths[0] == lengths[1] <= sets.MOST:
            uidvalidity = int(found[1])
            known |= zip(_expanded(old), _expanded(new), strict=True)
    return uidvalidity, known


def _expanded(spans: list[tuple[int, int]]) -> list[int]:
    return [uid for first, last in spans for uid in range(first, last + 1)]


def matched(moved: Mapping[int, bytes], come: Mapping[int, bytes]) -> dict[int, int]:
    """Pairs by Message-ID, where that leaves no doubt."""
    once = {message_id for message_id, count in Counter(moved.values()).items() if count == 1 and message_id}
    twice = {message_id for message_id, count in Counter(come.values()).items() if count > 1}
    places = {message_id: uid for uid, message_id in come.items() if message_id in once - twice}
    return {uid: places[message_id] for uid, message_id in moved.items() if message_id in places}
