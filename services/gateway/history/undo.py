"""Taking a request back: the request that makes its messages as they were, from what the facts say."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from uuid import UUID

from contracts import ids
from contracts.facts import SpecialUse
from projections.history import reader
from projections.history.projector import UNDO
from projections.history.rows import RequestRow, Touched
from projections.mail import placements
from projections.mail.placements import Target
from projections.sql import Connection
from services.gateway.actions.plan import Wish
from services.gateway.actions.requests import Origin
from services.gateway.errors import Refused

FINAL = "It was deleted for ever."
NOT_DONE = "It was not done, so there is nothing to take back."
UNDONE = "It was taken back already."
TOO_SOON = "The server has not done it yet. Try again in a moment."
GONE = "The mailbox that it came from is gone."
MOVED_ON = "The mail is no longer where it was moved to."


def why_not(row: RequestRow) -> str:
    """Why a request can't be taken back; empty when it can, as far as its own row says."""
    if row.undone_by is not None:
        return UNDONE
    if row.kind == "delete":
        return FINAL
    if row.state in ("refused", "expired") or (row.state == "applied" and not row.done):
        return NOT_DONE
    if row.kind == "move" and row.source is None and row.state == "pending":
        return TOO_SOON
    return ""


async def origin(db: Connection, user_id: UUID, row: RequestRow) -> Origin:
    """The same names for the same attempt, so that two at once are one."""
    attempt = await reader.attempts(db, user_id, row.id)
    return Origin(by=f"{UNDO}{row.id}", name=lambda n: ids.named(row.id, f"undo:{attempt}:{n}"))


async def plan(db: Connection, user_id: UUID, row: RequestRow) -> Sequence[Wish]:
    """Raises Refused, with the reason."""
    if reason := why_not(row):
        raise _refused(reason)
    touched = await reader.touched(db, user_id, row.id)
    messages = [one for one in touched if one.done or row.state == "pending"]
    if row.kind == "flags":
        named = sorted(one.message_id for one in messages)
        return [Wish(row.account_id, named, add=frozenset(row.remove), remove=frozenset(row.add))]
    return await _moved_back(db, user_id, row, messages)


async def _moved_back(db: Connection, user_id: UUID, row: RequestRow, messages: Sequence[Touched]) -> list[Wish]:
    """What is still where it was moved to, each to where it came from."""
    shown = await placements.of_messages(db, user_id, [one.message_id for one in messages])
    there = {one.message_id for one in shown if one.place == row.target}
    targets = {one.id: one for one in await placements.targets(db, user_id) if one.account_id == row.account_id}
    everything = next((one for one in targets.values() if one.labels and one.special_use is SpecialUse.ALL), None)
    steps: defaultdict[tuple[int, UUID | None, UUID], list[UUID]] = defaultdict(list)
    lost = False
    for one in messages:
        homes = sorted((targets[source] for source in one.sources if source in targets), key=_rank)
        lost = lost or not homes
        if one.message_id in there:
            for step in _way_back(row.target, homes, everything):
                steps[step].append(one.message_id)
    if not steps:
        raise _refused(GONE if lost else MOVED_ON)
    return [
        Wish(row.account_id, sorted(named), source=source, target=home)
        for (_, source, home), named in sorted(steps.items(), key=lambda step: step[0][0])
    ]


def _way_back(
    away: UUID | None, homes: Sequence[Target], everything: Target | None
) -> Iterator[tuple[int, UUID | None, UUID]]:
    """One after the other. What had several labels gets them one by one, once it is filed with all mail again."""
    found = [one for one in homes if one.id != away]
    labels = [one for one in found if one is not everything]
    if everything is not None and len(labels) > 1 and everything.id != away:
        yield 0, away, everything.id
        yield from ((n, everything.id, one.id) for n, one in enumerate(labels, 1))
    elif found:
        yield 0, away, found[0].id


def _rank(target: Target) -> tuple[int, str]:
    """Of several mailboxes that it was in at once, the inbox first and the one for all mail last."""
    order = {SpecialUse.INBOX: 0, SpecialUse.ALL: 2}
    return order.get(target.special_use, 1) if target.special_use else 1, target.path


def _refused(reason: str) -> Refused:
    return Refused(409, "not_undoable", reason)
