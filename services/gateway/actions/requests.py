"""Requests put into the log: once, also when the browser asks again with the same key."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import msgspec
from litestar import Response

from contracts.facts import DeleteRequested, FlagsRequested, MoveRequested
from contracts.subjects import AccountSubjects
from projections.sql import Connection
from services import positions
from services.gateway.actions.plan import Wish
from services.gateway.actions.structs import Request, Requested
from services.gateway.deps import Gateway, as_user
from services.gateway.errors import Refused
from services.log.append import append
from services.state import actions

MOST = 1000
"""Messages of one fact."""

Fact = FlagsRequested | MoveRequested | DeleteRequested
Facts = list[Fact]
Plan = Callable[[Connection, bool], Awaitable[Sequence[Wish]]]
"""Told whether the read model is behind what the user asked for before."""

_facts = msgspec.json.Decoder(Facts)


@dataclass(frozen=True)
class Origin:
    """In whose name it is asked for, and what the requests are called."""

    by: str = "user"
    name: Callable[[int], UUID] = lambda _: uuid4()


KEY_REUSED = "This Idempotency-Key was used for something else. Make a new one."


async def ask(
    parts: Gateway,
    user_id: UUID,
    plan: Plan,
    *,
    key: str | None = None,
    asked: bytes = b"",
    origin: Origin | None = None,
) -> Response[Requested]:
    """What a plan finds to change, as facts in the log; waits a moment for the read model to show them.

    `key`: the browser's, under which this is done once; `asked`: what it asked for. Raises what the plan raises.
    """
    behind = not await caught_up(parts, user_id)
    folded = await parts.positions.folded(user_id, ("mail",))
    async with as_user(parts.db, user_id) as db:
        made = await actions.find(db, user_id, key) if key else None
        if made is None:
            facts = made_of(user_id, await plan(db, behind), origin or Origin())
            if key and facts:
                made = await actions.begin(db, user_id, key, digest(asked), msgspec.json.encode(facts).decode())
    if made is not None:
        if made.asked != digest(asked):
            raise Refused(409, "key_reused", KEY_REUSED)
        facts = _facts.decode(made.requests)
        if made.position is not None:
            return await _answer(parts, user_id, facts, made.position)
    position = max([await _append(parts, fact) for fact in facts], default=folded)  # each may build on those before
    if key and facts:
        async with as_user(parts.db, user_id) as db:
            await actions.settle(db, user_id, key, position)
    return await _answer(parts, user_id, facts, position)


async def caught_up(
    parts: Gateway, user_id: UUID, schemas: Sequence[str] = ("mail",), *, patience: float | None = None
) -> bool:
    """Whether what the user asked for before is in what is planned from; waits a moment for it, or as many seconds as said."""
    last = await positions.asked(parts.log, user_id, parts.settings.partitions)
    return await parts.positions.wait(user_id, schemas, last, patience=patience)


async def _append(parts: Gateway, fact: Fact) -> int:
    account = AccountSubjects(parts.partition(fact.user_id), fact.user_id, fact.account_id)
    return await append(parts.log, account.request, fact, key=str(fact.request_id))


async def _answer(parts: Gateway, user_id: UUID, facts: Facts, position: int) -> Response[Requested]:
    shown = await parts.positions.wait(user_id, ("mail",), position)
    requests = [Request(id=one.request_id, account_id=one.account_id, messages=len(one.message_ids)) for one in facts]
    return Response(Requested(requests=requests, position=position), status_code=200 if shown else 202)


def made_of(user_id: UUID, wishes: Sequence[Wish], origin: Origin) -> Facts:
    """The facts that ask for what is wished, none of more than MOST messages."""
    common = {"user_id": user_id, "at": datetime.now(UTC), "by": origin.by}
    pieces = [
        (wish, wish.message_ids[start : start + MOST])
        for wish in wishes
        for start in range(0, len(wish.message_ids), MOST)
    ]
    return [
        _fact(wish, {**common, "request_id": origin.name(n), "message_ids": messages})
        for n, (wish, messages) in enumerate(pieces)
    ]


def _fact(wish: Wish, common: dict[str, Any]) -> Fact:
    named = {"account_id": wish.account_id, **common}
    if wish.flags:
        return FlagsRequested(**named, add=sorted(wish.add), remove=sorted(wish.remove))
    if wish.target is not None:
        return MoveRequested(**named, source=wish.source, target=wish.target)
    if wish.source is None:
        raise AssertionError("what is deleted is deleted from somewhere")
    return DeleteRequested(**named, mailbox_id=wish.source)


def digest(asked: bytes) -> bytes:
    return sha256(asked).digest()
