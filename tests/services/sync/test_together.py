"""Tasks that end together pass on every cancellation."""

import asyncio

import pytest

from services.sync.together import together


class Trouble(Exception):
    pass


async def fail(after: asyncio.Event) -> None:
    await after.wait()
    raise Trouble


async def owner(after: asyncio.Event, others: list[str]) -> None:
    while True:
        try:
            async with together() as group:
                group.create_task(fail(after))
                await asyncio.Event().wait()
        except ExceptionGroup:
            others.append("began again")
            await asyncio.sleep(0)


async def test_a_cancellation_at_the_moment_of_a_childs_failure_is_not_lost() -> None:
    failing = asyncio.Event()
    again: list[str] = []
    task = asyncio.create_task(owner(failing, again))
    await asyncio.sleep(0.01)
    failing.set()
    await asyncio.sleep(0)  # the child fails and cancels its owner, who has not heard of it
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=1)
    assert done == {task}
    assert task.cancelled()
    assert again == []


async def test_a_time_out_at_the_moment_of_a_childs_failure_is_a_time_out() -> None:
    failing = asyncio.Event()

    async def limited() -> None:
        async with asyncio.timeout(30) as scope:

            def both(_: object) -> None:
                failing.set()
                scope.reschedule(0)

            asyncio.create_task(asyncio.sleep(0.01)).add_done_callback(both)
            await owner(failing, [])

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(limited(), 2)


async def test_a_childs_failure_alone_is_its_own() -> None:
    failing = asyncio.Event()
    failing.set()

    async def work() -> None:
        async with together() as group:
            group.create_task(fail(failing))
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as caught:
        await work()
    assert [type(error) for error in caught.value.exceptions] == [Trouble]


async def test_what_ends_by_itself_ends_quietly() -> None:
    async with together() as group:
        task = group.create_task(asyncio.sleep(0, "done"))
    assert task.result() == "done"
