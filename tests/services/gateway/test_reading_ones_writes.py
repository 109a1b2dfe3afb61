"""A read that must see a write waits for the read models, but not for ever."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from uuid import uuid4

import pytest

from projections.engine.control import MOVED
from projections.sql import Pool
from services import positions
from services.gateway.deps import Gateway
from services.positions import Positions


async def fold(owner: Pool, schema: str, sequence: int) -> None:
    await owner.execute("UPDATE control.positions SET sequence = $2 WHERE schema = $1", schema, sequence)


async def test_it_waits_until_the_slowest_has_folded(parts: Gateway, owner: Pool) -> None:
    await fold(owner, "mail", 5)
    waiting = asyncio.create_task(parts.positions.wait(uuid4(), ("mail", "accounts_state"), 5))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await fold(owner, "accounts_state", 7)
    assert await waiting
    assert await positions.folded(parts.db, uuid4(), 1, ("mail", "accounts_state")) == 5


@pytest.mark.parametrize("schema", ["mail", "nowhere"])
async def test_its_patience_ends(parts: Gateway, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0.1)
    asked = time.monotonic()
    assert not await parts.positions.wait(uuid4(), (schema,), 1)
    assert time.monotonic() - asked < 2


@pytest.fixture
async def listening(parts: Gateway, owner: Pool) -> AsyncIterator[Positions]:
    """Hears of commits, beginning with what was folded before."""
    await fold(owner, "mail", 3)
    heard = Positions(parts.db, parts.settings.database_url, 1)
    task = asyncio.create_task(heard.listen())
    await until(lambda: heard._hearing)
    yield heard
    task.cancel()
    await asyncio.wait({task})


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.005)


async def test_while_commits_are_heard_the_database_is_not_asked(
    listening: Positions, owner: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 10)
    monkeypatch.delattr(positions, "folded")
    assert await listening.wait(uuid4(), ("mail",), 3)
    waiting = [asyncio.create_task(listening.wait(uuid4(), ("mail", "history"), sequence)) for sequence in (4, 5)]
    for told in ("mail 0 5", "mail 1 6", "history 0 4"):
        assert not any(one.done() for one in waiting)
        await owner.execute("SELECT pg_notify($1, $2)", MOVED, told)
    assert await waiting[0]
    assert await listening.folded(uuid4(), ("mail", "history")) == 4
    await owner.execute("SELECT pg_notify($1, 'history 0 7')", MOVED)
    assert await waiting[1]
    assert await listening.folded(uuid4(), ("mail", "nowhere")) == 0


async def test_whoever_keeps_nobody_waiting_may_have_more_patience(listening: Positions, owner: Pool) -> None:
    waiting = asyncio.create_task(listening.wait(uuid4(), ("mail",), 4, patience=10))
    await asyncio.sleep(positions.PATIENCE + 0.1)
    assert not waiting.done()
    await owner.execute("SELECT pg_notify($1, 'mail 0 4')", MOVED)
    assert await waiting


async def test_what_was_not_heard_is_asked_for_once_patience_ends(
    listening: Positions, owner: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0.1)
    await fold(owner, "mail", 4)
    assert await listening.wait(uuid4(), ("mail",), 4)
    assert not await listening.wait(uuid4(), ("mail",), 5)


async def test_while_commits_can_not_be_heard_the_database_is_asked(
    listening: Positions, owner: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 10)
    waiting = asyncio.create_task(listening.wait(uuid4(), ("mail",), 9))
    await asyncio.sleep(0)
    await fold(owner, "mail", 9)
    await owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'")
    assert await waiting
    assert await listening.folded(uuid4(), ("mail",)) == 9
    await until(lambda: listening._hearing)
    assert await listening.wait(uuid4(), ("mail",), 9)
