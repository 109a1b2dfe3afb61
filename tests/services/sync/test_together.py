"""Tasks that end together pass on every cancellation."""

import asyncio

import pytest

from services.sync.together import Together, together


class Trouble(Exception):
    pass


async def fail(after: asyncio.Event) -> None:
    await after.wait()
    raise Trouble


async def forever() -> None:
    await asyncio.Event().wait()


async def owner(after: asyncio.Event, others: list[str]) -> None:
    while True:
        try:
            async with together() as group:
                group.create_task(fail(after))
                group.create_task(forever())
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
            group.create_task(forever())

    with pytest.raises(ExceptionGroup) as caught:
        await work()
    assert [type(error) for error in caught.value.exceptions] == [Trouble]


async def test_what_ends_by_itself_ends_quietly_and_may_begin_more() -> None:
    ended: list[str] = []

    async def end(name: str) -> None:
        await asyncio.sleep(0)
        ended.append(name)

    async def begin(group: Together) -> None:
        group.create_task(end("second"))
        ended.append("first")

    async with together() as group:
        group.create_task(begin(group))
    assert ended == ["first", "second"]


async def test_children_end_before_their_owner_however_often_it_is_cancelled() -> None:
    ended: list[str] = []

    async def slow() -> None:
        try:
            await forever()
        finally:
            await asyncio.sleep(0.05)
            ended.append("child")

    async def own() -> None:
        async with together() as group:
            group.create_task(slow())

    task = asyncio.create_task(own())
    await asyncio.sleep(0.01)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    await asyncio.wait({task}, timeout=1)
    assert task.cancelled()
    assert ended == ["child"]
