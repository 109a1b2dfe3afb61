"""Whatever goes wrong in ourselves while a mail is on its way, it is not sent again; and two who think that they are in charge send once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import pytest

from services.mail.smtp.submission import Submission
from services.outbound.sends import PartitionSends
from tests.services.outbound.holders import Outbound, parts
from tests.services.outbound.sending import Sender
from tests.support.processes import until

content = Submission.content


@asynccontextmanager
async def in_charge(sender: Sender, holders: int = 1) -> AsyncIterator[None]:
    """Work on the account's partition as if they had the lease."""
    async with parts(sender.mirror.installed) as known:
        partition = sender.mirror.account.partition
        tasks = [asyncio.create_task(PartitionSends(known, partition).work()) for _ in range(holders)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def test_a_fault_of_ours_after_the_content_leaves_nobody_sure(
    sender: Sender, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def faulty(submission: Submission) -> Literal["accepted", "unconfirmed"]:
        await content(submission)
        raise RuntimeError("a fault of ours")

    outbound.kill()
    monkeypatch.setattr(Submission, "content", faulty)
    async with in_charge(sender):
        letter = await sender.send()
        assert await sender.until(letter, "unconfirmed") == ["queued", "attempted", "unconfirmed"]
    assert await sender.sent(letter) == 1


async def test_a_fault_of_ours_before_it_is_tried_again_and_then_given_up(
    sender: Sender, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def faulty(_: Submission, *__: object, **___: object) -> None:
        raise RuntimeError("a fault of ours")

    outbound.kill()
    monkeypatch.setattr("services.outbound.trouble.SENDING", 0.01)
    monkeypatch.setattr(Submission, "envelope", faulty)
    async with in_charge(sender):
        letter = await sender.send()
        assert await sender.until(letter, "failed") == ["queued", "failed"]
    assert sender.sink.lines == []


async def test_of_two_holders_one_sends(sender: Sender, outbound: Outbound) -> None:
    outbound.kill()
    async with in_charge(sender, holders=2):
        letters = [await sender.send() for _ in range(10)]
        for letter in letters:
            assert await sender.until(letter, "filed") == ["queued", "attempted", "delivered", "filed"]
    assert sorted(sender.sink.ids()) == sorted(letter.key.encode() for letter in letters)


async def test_a_server_that_takes_it_while_the_process_is_told_to_stop_is_asked_in_sent(
    sender: Sender, outbound: Outbound
) -> None:
    held = sender.sink.hold("taken")
    letter = await sender.send()
    await held.until_reached()
    await asyncio.to_thread(outbound.stop)
    held.go_on.set()
    outbound.start()
    assert await sender.until(letter, "unconfirmed") == ["queued", "attempted", "unconfirmed"]
    assert await sender.sent(letter) == 1
    await until(lambda: sender.sink.open == 0)
