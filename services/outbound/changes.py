"""A request carried out: what it means on this server, done there, and what became of each placement.

Everything here may be done twice: a process may have died between the server's answer and the outcome.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from contracts.facts import Applied, DeleteRequested, FlagsRequested, MoveRequested, SpecialUse
from contracts.provider import MailWriter, Placed
from projections.mail.placements import Numbered, Target
from services.outbound import places as on_server
from services.outbound.errors import CannotBe
from services.outbound.places import FILED, Places

Request = FlagsRequested | MoveRequested | DeleteRequested

GONE = "gone"

DISCARDED = frozenset({SpecialUse.JUNK, SpecialUse.TRASH})

LABELS = {SpecialUse.INBOX: "\\Inbox", SpecialUse.SENT: "\\Sent", SpecialUse.DRAFTS: "\\Draft"}
"""What a server with labels calls the mailboxes that are its own."""


async def carry_out(request: Request, places: Places, writer: MailWriter) -> list[Applied]:
    """Raises ProviderError, NotYet, and CannotBe when there is nothing left to do it to."""
    match request:
        case FlagsRequested():
            results = await _flags(request, await on_server.number(places, writer), writer)
        case MoveRequested():
            target = places.target(request.target)
            going = places.only(lambda one: request.source in (None, one.mailbox_id) and one.mailbox_id != target.id)
            results = await _move(await on_server.number(going, writer), target, writer)
            results += await _there(request, places, {one.message_id for one in going.numbered}, target, writer)
        case DeleteRequested():
            held = places.only(lambda one: one.mailbox_id == request.mailbox_id)
            results = await _delete(request, await on_server.number(held, writer), writer)
    if not results:
        raise CannotBe(GONE)
    return results


async def _flags(request: FlagsRequested, places: Places, writer: MailWriter) -> list[Applied]:
    add, remove = frozenset(request.add), frozenset(request.remove)
    results: list[Applied] = []
    for path, validity, some in _by_mailbox(places):
        pushed = await writer.push_flags(
            path, sorted({_uid(one) for one in some}), uidvalidity=validity, add=add, remove=remove
        )
        for one in some:
            if (now := pushed.get(_uid(one))) is not None:
                flags = None if now.flags is None else sorted(now.flags)
                results.append(_result(one, flags=flags, modseq=now.modseq or 0))
    return results


async def _move(places: Places, target: Target, writer: MailWriter) -> list[Applied]:
    uses = {target.special_use, *(one.special_use for one in places.numbered)}
    if places.labels and not uses & DISCARDED:
        return await _relabel(places, target, writer)
    results: list[Applied] = []
    for path, validity, some in _by_mailbox(places):
        uids = sorted({_uid(one) for one in some})
        placed = await writer.move(uids, uidvalidity=validity, source=path, target=target.path)
        results += await _placed(some, placed, target, places, writer)
    return results


async def _there(
    request: MoveRequested, places: Places, going: Container[UUID], target: Target, writer: MailWriter
) -> list[Applied]:
    """What was in the source when it was asked for, and was seen in the target before we came to it: it may be our own doing."""
    results: list[Applied] = []
    for one in places.numbered:
        if one.mailbox_id != target.id or one.message_id in going:
            continue
        found = one.uid is not None or await on_server.look(
            writer, target.path, None, places.message_ids.get(one.message_id)
        )
        if found:
            source = request.source or target.id
            results.append(_result(one, mailbox_id=source, uid=0, moved_to=target.id, **_copied(one)))
    return results


def _copied(one: Numbered) -> dict[str, int]:
    return {"copy_uid": one.uid or 0, "copy_uidvalidity": one.uidvalidity if one.uid else 0}


async def _placed(
    some: Sequence[Numbered], told: Mapping[int, Placed], target: Target, places: Places, writer: MailWriter
) -> list[Applied]:
    """What is in the mailbox no more and is found in the target was moved before, or by somebody else: it is as was asked."""
    placed = dict(told)
    for one in some:
        if _uid(one) not in placed and await on_server.look(
            writer, target.path, None, places.message_ids.get(one.message_id)
        ):
            placed[_uid(one)] = Placed(uidvalidity=None, uid=None)
    counts = not places.labels or target.special_use in FILED  # a label's own UIDs mean nothing to us
    return [
        _result(
            one,
            moved_to=target.id,
            copy_uidvalidity=(where.uidvalidity or 0) if counts else 0,
            copy_uid=(where.uid or 0) if counts else 0,
        )
        for one in some
        if (where := placed.get(_uid(one))) is not None
    ]


async def _relabel(places: Places, target: Target, writer: MailWriter) -> list[Applied]:
    """Under labels a move takes one label away and puts another on; what has none has nothing taken away."""
    everything = places.everything
    add = frozenset({_label(target)} if target.id != everything.id else ())
    sources: defaultdict[tuple[UUID, int], list[Numbered]] = defaultdict(list)
    for one in places.numbered:
        sources[one.mailbox_id, one.uidvalidity].append(one)
    results: list[Applied] = []
    for (source, validity), some in sources.items():
        remove = frozenset({_label(places.target(source))} if source != everything.id else ())
        done = set(
            await writer.push_labels(
                everything.path, [_uid(one) for one in some], uidvalidity=validity, add=add, remove=remove
            )
        )
        for one in some:
            if _uid(one) in done:
                placed = {"moved_to": target.id, "copy_uid": _uid(one), "copy_uidvalidity": validity}
                results.append(_result(one, **placed) if remove else _result(one, uid=0, **placed))
    return results


async def _delete(request: DeleteRequested, places: Places, writer: MailWriter) -> list[Applied]:
    if places.labels and places.target(request.mailbox_id).special_use not in DISCARDED:
        raise CannotBe("not_supported")
    results: list[Applied] = []
    for path, validity, some in _by_mailbox(places):
        gone = set(await writer.delete(path, [_uid(one) for one in some], uidvalidity=validity))
        results += [_result(one) for one in some if _uid(one) in gone]
        if not gone:
            raise CannotBe("not_removed")
    return results


def _by_mailbox(places: Places) -> Iterable[tuple[str, int, list[Numbered]]]:
    """By what has to be opened. Under labels that is where the mail is filed, and a label's placement stands for it."""
    groups: defaultdict[tuple[str, int], list[Numbered]] = defaultdict(list)
    for one in places.numbered:
        filed = not places.labels or one.special_use in FILED
        groups[one.path if filed else places.everything.path, one.uidvalidity].append(one)
    for (path, validity), some in sorted(groups.items()):
        yield path, validity, some


def _label(mailbox: Target) -> str:
    return LABELS.get(mailbox.special_use, mailbox.path) if mailbox.special_use else mailbox.path


def _uid(one: Numbered) -> int:
    if one.uid is None:
        raise AssertionError("numbered before")
    return one.uid


def _result(one: Numbered, **more: Any) -> Applied:
    """`uid` 0 names no placement: then none was taken away."""
    place = {"message_id": one.message_id, "mailbox_id": one.mailbox_id, "generation": one.generation, "uid": one.uid}
    return Applied(**{**place, **more})
