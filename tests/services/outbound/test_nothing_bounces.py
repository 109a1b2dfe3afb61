"""What is shown after a request never goes back, whatever sync observes meanwhile: at every moment it is what was asked for."""

import asyncio
import random
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import pytest

from tests.services.faults.mirror import mails
from tests.services.outbound.acting import Acting, Connect
from tests.services.outbound.test_changes_on_servers import make
from tests.support.dovecot import FULL, POOR, Dovecot, User
from tests.support.processes import until

PATHS = ("INBOX", "Archive", "Work")
FLAGS = ("\\Seen", "\\Flagged", "\\Answered", "$Label1")

SHOWN = """
    SELECT p.message_id, array_agg(DISTINCT p.place) AS places,
        coalesce(array_agg(DISTINCT f) FILTER (WHERE f IS NOT NULL), '{}') AS flags
    FROM mail.placements p LEFT JOIN LATERAL unnest(coalesce(p.wanted, p.flags)) f ON true
    WHERE p.account_id = $1 AND p.place IS NOT NULL GROUP BY p.message_id
"""
KNOWN = "SELECT state <> 'pending' FROM history.requests WHERE id = $1"
POSITION = "SELECT sequence FROM control.positions WHERE schema = 'mail' AND partition = $1"


class State(NamedTuple):
    """One message as it is shown, or should be."""

    places: frozenset[UUID]
    flags: frozenset[str]


Sample = tuple[int, dict[UUID, State]]


class Watch:
    """Looks all the time; what was seen is held against what was asked for when that is known."""

    def __init__(self, account: Acting) -> None:
        self._account = account
        self.samples: list[Sample] = []

    async def look(self) -> Sample:
        who = self._account.mirror.account
        async with self._account.db.acquire() as db, db.transaction(isolation="repeatable_read", readonly=True):
            position = await db.fetchval(POSITION, who.partition)
            rows = await db.fetch(SHOWN, who.account_id)
        return position, {m: State(frozenset(places), frozenset(flags)) for m, places, flags in rows}

    async def run(self) -> None:
        while True:
            sample = await self.look()
            if not self.samples or sample != self.samples[-1]:
                self.samples.append(sample)
            await asyncio.sleep(0.01)


async def random_requests(
    account: Acting, dice: random.Random, state: dict[UUID, State], count: int
) -> list[tuple[UUID, dict[UUID, State]]]:
    """Asked for one after the other: each with what is to be shown from there on."""
    mailboxes = {path: await account.mailbox(path) for path in PATHS}
    asked: list[tuple[UUID, dict[UUID, State]]] = []
    for _ in range(count):
        chosen = dice.sample(sorted(state), dice.randint(1, 3))
        if dice.random() < 0.6:
            flag = dice.choice(FLAGS)
            add, remove = ([flag], []) if dice.random() < 0.5 else ([], [flag])
            request = await account.flag(chosen, add=add, remove=remove)
            changed = {m: state[m]._replace(flags=state[m].flags - {*remove} | {*add}) for m in chosen}
        else:
            (source,) = state[chosen[0]].places
            path = dice.choice([path for path in PATHS if mailboxes[path] != source])
            chosen = [m for m in chosen if state[m].places == {source}]
            request = await account.move(chosen, next(p for p in PATHS if mailboxes[p] == source), path)
            changed = {m: state[m]._replace(places=frozenset({mailboxes[path]})) for m in chosen}
        state |= changed
        asked.append((request, dict(state)))
        await asyncio.sleep(dice.choice([0, 0, 0.02, 0.2]))
    return asked


@pytest.fixture(params=[FULL, POOR])
async def account(request: pytest.FixtureRequest, act_on: Connect, dovecot: Dovecot, mail_user: User) -> Acting:
    dovecot.load(mail_user.name, mails(15))
    make(dovecot, mail_user, "Archive", "Work")
    connected = await act_on(dovecot, mail_user, host=request.param)
    await connected.mirror.equal()
    return connected


@pytest.mark.parametrize("count", [25, pytest.param(1000, marks=pytest.mark.long)])
async def test_own_changes_never_bounce(account: Acting, seed: int, count: int) -> None:
    watch = Watch(account)
    _, first = await watch.look()
    watching = asyncio.create_task(watch.run())
    asked = await random_requests(account, random.Random(seed), dict(first), count)
    await answered(account, asked[-1][0], seconds=20 + count)
    await account.mirror.equal()
    watching.cancel()
    assert [one.request_id for one in await account.outcomes()] == [request for request, _ in asked]
    check(watch.samples, first, await sequences(account, asked))
    _, last = await watch.look()
    assert last == asked[-1][1]


async def answered(account: Acting, request: UUID, *, seconds: float) -> None:
    """Return when its outcome is known; the log of a thousand is not read again and again for that."""

    async def known() -> bool:
        return bool(await account.db.fetchval(KNOWN, request))

    await until(known, seconds=seconds)


async def sequences(
    account: Acting, asked: Sequence[tuple[UUID, dict[UUID, State]]]
) -> list[tuple[int, dict[UUID, State]]]:
    facts = await account.mirror.installed.facts(account.mirror.account)
    at = {getattr(fact, "request_id", None): sequence for sequence, fact in reversed(facts)}
    return [(at[request], state) for request, state in asked]


def check(samples: Sequence[Sample], first: dict[UUID, State], asked: Sequence[tuple[int, dict[UUID, State]]]) -> None:
    """Each sample shows what was asked for up to its position."""
    for position, shown in samples:
        wanted = next((state for sequence, state in reversed(asked) if sequence <= position), first)
        wrong = {m: (shown.get(m), state) for m, state in wanted.items() if shown.get(m) != state}
        assert wrong == {}, position
