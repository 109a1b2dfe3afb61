"""A read that must see a write waits for the read models, but not for ever."""

import asyncio
import time
from uuid import uuid4

import pytest

from projections.sql import Pool
from services.gateway import positions
from services.gateway.deps import Gateway


async def fold(owner: Pool, schema: str, sequence: int) -> None:
    await owner.execute("UPDATE control.positions SET sequence = $2 WHERE schema = $1", schema, sequence)


async def test_it_waits_until_the_slowest_has_folded(parts: Gateway, owner: Pool) -> None:
    await fold(owner, "mail", 5)
    waiting = asyncio.create_task(positions.wait(parts.db, uuid4(), 1, ("mail", "accounts_state"), 5))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await fold(owner, "accounts_state", 7)
    assert await waiting
    assert await positions.folded(parts.db, uuid4(), 1, ("mail", "accounts_state")) == 5


@pytest.mark.parametrize("schema", ["mail", "nowhere"])
async def test_its_patience_ends(parts: Gateway, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "PATIENCE", 0.1)
    asked = time.monotonic()
    assert not await positions.wait(parts.db, uuid4(), 1, (schema,), 1)
    assert time.monotonic() - asked < 2
