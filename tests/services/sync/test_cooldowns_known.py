"""A host that asked for peace is left alone by every account of every process, until the time that was said."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from contracts.streams import Role
from services.jobs import cooldowns
from services.log import api
from services.log.connection import Connection, connect
from services.sync.cooldowns import Cooldowns
from tests.support.processes import Installation, until


@pytest.fixture
async def nc(installed: Installation) -> AsyncIterator[Connection]:
    password = installed.nats_passwords[Role.SYNC]
    connection = await connect(installed.nats.url.replace("://", f"://sync:{password}@"), Role.SYNC)
    yield connection
    await connection.close()


async def test_a_host_that_is_cooling_is_known_to_other_processes_at_once_and_later_ones_from_the_start(
    nc: Connection,
) -> None:
    one, other = Cooldowns(nc), Cooldowns(nc)
    async with one.followed(), other.followed():
        await one.cool("imap.one.example", 60)
        await until(lambda: other.left("smtp.one.example") > 50)
        assert other.left("imap.other.test") == 0
    async with Cooldowns(nc).followed() as later:
        assert 50 < later.left("imap.one.example") <= 60
    assert await cooldowns.until(nc, cooldowns.group("imap.one.example"), datetime.now(UTC)) is not None


async def test_a_cooldown_ends_and_is_never_shortened(nc: Connection) -> None:
    async with Cooldowns(nc).followed() as known:
        await known.cool("127.0.0.9", 0.5)
        await known.cool("127.0.0.9", 0.1)
        assert known.left("127.0.0.9") > 0.2
        await known.over("127.0.0.9")
        assert known.left("127.0.0.9") == 0


async def test_what_is_no_cooldown_is_passed_over(nc: Connection) -> None:
    async with Cooldowns(nc).followed() as known:
        for odd in (b"", b"tomorrow", b'{"until": "2999-01-01T00:00:00"}', b"\xff"):
            await api.publish(nc, "$KV.cooldowns.odd.example", odd, {})
        await known.cool("127.0.0.10", 60)
        async with Cooldowns(nc).followed() as later:
            assert later.left("127.0.0.10") > 50
            assert known.left("odd.example") == later.left("odd.example") == 0
