"""Messages are parsed by children that hold nothing and may die; the mail goes on."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from contracts import ids
from services.parsing import pool as pools
from services.parsing.pool import ParsePool, ParserUnavailable, parse_pool


def mail(number: int, body: bytes = b"Hello.") -> bytes:
    head = f"Message-ID: <m{number}@example.test>\r\nFrom: a@example.test\r\nSubject: number {number}\r\n\r\n"
    return head.encode() + body


@pytest.fixture
async def pool() -> AsyncIterator[ParsePool]:
    async with parse_pool(2) as opened:
        yield opened


# What a child runs instead: the real one, whose parser has a fault.
FAULTY = """
import os, time
from projections.documents import document
from services.parsing import child
read = document.read
def faulty(raw, **how):
    if b"kill me" in raw: os._exit(9)
    if b"raise" in raw: raise RecursionError
    if b"eat memory" in raw: bytearray(child.MEMORY)
    if b"spin" in raw:
        while True: pass
    if b"lie" in raw:
        os.write(1, b"\\0\\0\\0\\x05liars"); time.sleep(60)
    return read(raw, **how)
document.read = faulty
child.SECONDS = 1
child.main()
"""


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "PROGRAM", ("-c", FAULTY))


async def test_answers_come_in_the_order_of_the_messages(pool: ParsePool) -> None:
    parsed = await pool.parse([mail(number) for number in range(170)])
    assert [one.encoded.document.subject for one in parsed] == [f"number {number}" for number in range(170)]
    assert not any(one.unreadable for one in parsed)


async def test_a_big_message_is_parsed_from_its_file(pool: ParsePool, tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(mail(1, b"x" * 9_000_000))
    small, big, last = await pool.parse([mail(0), path, mail(2)])
    assert big.encoded.document.subject == "number 1"
    assert (small.encoded.document.subject, last.encoded.document.subject) == ("number 0", "number 2")


async def test_evidence_is_of_the_first_fields_however_they_are_folded(pool: ParsePool) -> None:
    plain = (
        b"From: a <a@example.test>\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\nMessage-ID: <1@x>\r\nFrom: b@x\r\n\r\n"
    )
    folded = b"message-id:\n <1@x>\nDATE: Mon, 1 Jan\n  2024 00:00:00 +0000\nFrom: a\n <a@example.test>\n\nother text"
    first, second = await pool.parse([plain, folded])
    expected = ids.evidence(b"<1@x>", b"Mon, 1 Jan 2024 00:00:00 +0000", b"a <a@example.test>")
    assert first.evidence == second.evidence == expected


async def test_children_see_no_environment_and_no_more_files_than_they_need(pool: ParsePool) -> None:
    await pool.parse([mail(1)])
    process = pool._children[-1]._process or pool._children[0]._process
    assert process is not None
    proc = Path(f"/proc/{process.pid}")
    assert proc.joinpath("environ").read_bytes().replace(b"LC_CTYPE=C.UTF-8\0", b"") == b""
    limits = proc.joinpath("limits").read_text()
    assert f"Max address space         {2 << 30}" in limits
    assert "Max file size             0" in limits


async def test_a_child_that_is_killed_is_replaced_and_nothing_is_lost(pool: ParsePool) -> None:
    work = asyncio.create_task(pool.parse([mail(number, b"<p>word " * 20_000) for number in range(60)]))
    await asyncio.sleep(0.3)
    for child in pool._children:
        if child._process is not None:
            os.kill(child._process.pid, signal.SIGKILL)
    assert [one.unreadable for one in await work] == [""] * 60


@pytest.mark.parametrize("fault", [b"kill me", b"lie"])
async def test_a_message_that_kills_its_parser_three_times_becomes_a_placeholder(
    faulty: None, pool: ParsePool, fault: bytes
) -> None:
    before, broken, after = await pool.parse([mail(1), mail(2, fault), mail(3)])
    assert (before.unreadable, after.unreadable) == ("", "")
    assert "three times" in broken.unreadable
    assert broken.encoded.document.warnings


async def test_a_message_that_never_ends_runs_out_of_processor_time(faulty: None, pool: ParsePool) -> None:
    (broken,) = await pool.parse([mail(1, b"spin")])
    assert "three times" in broken.unreadable


@pytest.mark.parametrize(("fault", "said"), [(b"raise", "RecursionError"), (b"eat memory", "MemoryError")])
async def test_a_fault_of_the_parser_is_said_and_costs_one_message(
    faulty: None, pool: ParsePool, fault: bytes, said: str
) -> None:
    broken, after = await pool.parse([mail(1, fault), mail(2)])
    assert said in broken.unreadable
    assert after.encoded.document.subject == "number 2"


async def test_a_hanging_child_is_ended_at_the_deadline(
    faulty: None, pool: ParsePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "DEADLINE", 0.2)
    monkeypatch.setattr(pools, "TRIES", 1)
    (broken,) = await pool.parse([mail(1, b"spin")])
    assert broken.unreadable


async def test_a_cancelled_parse_leaves_a_pool_that_works(pool: ParsePool) -> None:
    work: Callable[[], object] = asyncio.create_task(
        pool.parse([mail(n, b"<p>word" * 50_000) for n in range(50)])
    ).cancel
    await asyncio.sleep(0.2)
    work()
    (parsed,) = await pool.parse([mail(1)])
    assert parsed.encoded.document.subject == "number 1"


async def test_a_child_that_cannot_start_is_blamed_on_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "PROGRAM", ("-c", "import nothing_of_that_name"))
    with pytest.raises(ParserUnavailable):
        async with parse_pool(1):
            pass
