"""kill -9 of outbound at every step of a send: nothing is delivered twice, filed twice, or lost; what nobody can know is said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.services.outbound.holders import Outbound
from tests.services.outbound.sending import Letter, Sender, filing
from tests.support.processes import until

RUNS = [1, *(pytest.param(run, marks=pytest.mark.long) for run in range(2, 18))]
"""Three kills each, fifty in the long form."""

KILLS = 3


@pytest.mark.parametrize("run", RUNS)
async def test_before_the_attempt_it_is_sent_by_the_next(sender: Sender, outbound: Outbound, run: int) -> None:
    for step in ("auth", "mail", "rcpt"):
        letter = await killed_at(sender, outbound, step)
        assert await sender.until(letter, "filed") == ["queued", "attempted", "delivered", "filed"]
        await ended_well(sender, letter)


async def test_content_that_was_refused_for_now_is_sent_by_the_next(sender: Sender, outbound: Outbound) -> None:
    sender.sink.content = "451 4.7.0 greylisted"
    letter = await sender.send()
    await until(lambda: sender.words(letter))
    outbound.kill()
    sender.sink.content = "250 ok"
    outbound.start()
    await sender.until(letter, "filed")
    assert "unconfirmed" not in await sender.told(letter)
    await ended_well(sender, letter)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("step", "times"), [("data", 0), ("content", 0), ("taken", 1)])
async def test_after_the_attempt_nobody_sends_it_again(
    sender: Sender, outbound: Outbound, step: str, times: int, run: int
) -> None:
    for _ in range(KILLS):
        letter = await killed_at(sender, outbound, step)
        assert await sender.until(letter, "unconfirmed") == ["queued", "attempted", "unconfirmed"]
        assert await sender.sent(letter) == times
        assert sender.held("Sent", letter.key) == []
        assert await sender.has_draft(letter)


@pytest.mark.parametrize("run", RUNS)
async def test_after_the_final_dot_it_is_found_where_the_server_files_it(
    sender: Sender, outbound: Outbound, run: int
) -> None:
    sender.sink.deliver = filing(sender)
    for _ in range(KILLS):
        letter = await killed_at(sender, outbound, "taken")
        assert await sender.until(letter, "filed") == ["queued", "attempted", "delivered", "filed"]
        await ended_well(sender, letter)


@pytest.mark.parametrize("run", RUNS)
async def test_before_its_copy_is_in_sent_the_next_puts_it_there(sender: Sender, outbound: Outbound, run: int) -> None:
    for _ in range(KILLS):
        letter = await sender.send()
        await sender.until(letter, "delivered")
        outbound.kill()
        assert "filed" not in await sender.told(letter)
        outbound.start()
        await sender.until(letter, "filed")
        await ended_well(sender, letter)


@pytest.mark.parametrize("run", RUNS)
async def test_before_its_draft_ends_the_next_ends_it(sender: Sender, outbound: Outbound, run: int) -> None:
    for _ in range(KILLS):
        letter = await sender.send(due=1)
        async with held_fast(sender, letter):
            await filed(sender, letter)
            outbound.kill()
        assert await sender.told(letter) == ["queued", "attempted", "delivered"]
        outbound.start()
        await sender.until(letter, "filed")
        await ended_well(sender, letter)


async def filed(sender: Sender, letter: Letter) -> None:
    async def there() -> bool:
        return bool(await asyncio.to_thread(sender.held, "Sent", letter.key))

    await until(there)


async def killed_at(sender: Sender, outbound: Outbound, step: str) -> Letter:
    held = sender.sink.hold(step)  # type: ignore[arg-type] # one of them
    letter = await sender.send(body="word\r\n" * 1_500_000 if step == "content" else "Words.")
    await held.until_reached()
    outbound.kill()
    held.go_on.set()
    outbound.start()
    return letter


async def ended_well(sender: Sender, letter: Letter) -> None:
    """Once at the submission server, once in Sent, and no draft any more."""
    assert await sender.sent(letter) == 1
    assert len(sender.held("Sent", letter.key)) == 1
    assert not await sender.has_draft(letter)


@asynccontextmanager
async def held_fast(sender: Sender, letter: Letter) -> AsyncIterator[None]:
    """A draft's row that nobody else can change or remove."""
    connection = await asyncpg.connect(sender.mirror.installed.dsn)
    try:
        async with connection.transaction():
            await connection.execute("SELECT FROM drafts WHERE id = $1 FOR NO KEY UPDATE", letter.draft)
            yield
    finally:
        await connection.close()
