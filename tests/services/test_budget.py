"""Places at a mail host: never more than the cap, never none for who waits, and everybody has a turn."""

import asyncio
import time
from functools import partial

import pytest

from contracts.provider import ProviderConnectError
from services.mail.budget import Full, HostBudget, Place, Purpose
from tests.support.processes import until

HOST = "imap.example.com"
LONG = 30.0


async def held(budget: HostBudget, purpose: Purpose, count: int) -> list[Place]:
    return [await budget.place(HOST, 0.01, purpose) for _ in range(count)]


@pytest.mark.parametrize(
    ("purpose", "most"), [(Purpose.INTERACTIVE, 50), (Purpose.POLL, 48), (Purpose.WATCH, 46), (Purpose.BULK, 25)]
)
async def test_no_purpose_takes_the_last_places_but_who_waits_for_it(purpose: Purpose, most: int) -> None:
    budget = HostBudget(50)
    await held(budget, purpose, most)
    with pytest.raises(Full):
        await budget.place(HOST, 0.01, purpose)


@pytest.mark.parametrize("purpose", [one for one in Purpose if one is not Purpose.SPARE])
async def test_with_one_place_everybody_can_have_it(purpose: Purpose) -> None:
    budget = HostBudget(1)
    (place,) = await held(budget, purpose, 1)
    place.release()
    place.release()
    await held(budget, purpose, 1)
    with pytest.raises(Full):
        await budget.place(HOST, 0.01, Purpose.INTERACTIVE)


async def test_hosts_have_places_of_their_own_and_names_are_not_told_apart_by_case() -> None:
    budget = HostBudget(1)
    await budget.take(HOST, 0.01)
    with pytest.raises(Full):
        await budget.take(HOST.upper(), 0.01)
    await budget.take("other.example.com", 0.01)


async def test_who_waits_for_an_answer_is_served_while_bulk_and_idle_fill_the_rest() -> None:
    budget = HostBudget(8)
    await held(budget, Purpose.BULK, 4)
    await held(budget, Purpose.WATCH, 2)
    began = time.monotonic()
    await budget.take(HOST, LONG)
    assert time.monotonic() - began < 0.5


async def test_waiting_for_news_gives_way_to_a_poll_and_no_more_than_needed_do() -> None:
    budget, asked = HostBudget(2), []
    places: list[Place] = []

    def going(number: int) -> None:
        asked.append(number)
        places[number].release()

    places += [await budget.place(HOST, LONG, Purpose.WATCH, partial(going, number)) for number in range(2)]
    poll = await budget.place(HOST, LONG, Purpose.POLL)
    assert asked == [0]
    poll.release()


async def test_a_connection_that_nobody_uses_is_the_first_to_go() -> None:
    budget, asked = HostBudget(2), []
    watching = await budget.place(HOST, LONG, Purpose.WATCH, lambda: asked.append("watching"))
    working = await budget.place(HOST, LONG, Purpose.POLL, lambda: asked.append("working"))
    waiting = asyncio.create_task(budget.place(HOST, LONG, Purpose.POLL))
    await until(lambda: asked == ["watching"])
    working.purpose = Purpose.SPARE
    watching.release()
    await waiting
    asked.clear()
    another = asyncio.create_task(budget.place(HOST, LONG, Purpose.POLL))
    await until(lambda: asked == ["working"])
    working.release()
    await another


async def test_a_poll_does_not_end_what_is_as_urgent() -> None:
    budget, asked = HostBudget(1), []
    await budget.place(HOST, LONG, Purpose.POLL, lambda: asked.append("poll"))
    with pytest.raises(Full):
        await budget.place(HOST, 0.05, Purpose.POLL)
    assert asked == []


async def test_more_accounts_than_places_have_them_in_turn() -> None:
    budget = HostBudget(2)
    served: list[int] = []

    async def poll(account: int) -> None:
        for _ in range(5):
            place = await budget.place(HOST, LONG, Purpose.POLL)
            served.append(account)
            await asyncio.sleep(0)
            place.release()

    await asyncio.gather(*(poll(account) for account in range(6)))
    assert len(served) == 30
    for turn in range(5):
        assert sorted(served[turn * 6 : turn * 6 + 6]) == list(range(6))


async def test_accounts_wait_for_news_in_turn_where_not_all_can() -> None:
    budget = HostBudget(1, rotate=0.05)
    turns: list[int] = []

    async def watch(account: int) -> None:
        while True:
            wanted = asyncio.Event()
            place = await budget.place(HOST, LONG, Purpose.WATCH, wanted.set)
            turns.append(account)
            await wanted.wait()
            place.release()

    async def poll() -> None:
        while True:  # a host is looked at whenever anything is asked of it
            (await budget.place(HOST, LONG, Purpose.POLL)).release()
            await asyncio.sleep(0.02)

    tasks = [asyncio.create_task(work) for work in (watch(0), watch(1), watch(2), poll())]
    await until(lambda: {0, 1, 2} <= set(turns) and len(turns) > 9)
    for task in tasks:
        task.cancel()
    assert max(turns.count(account) for account in range(3)) <= 2 * min(turns.count(account) for account in range(3))


async def test_who_no_longer_waits_takes_no_place() -> None:
    budget = HostBudget(1)
    place = await budget.place(HOST, LONG, Purpose.POLL)
    gone = [asyncio.create_task(budget.place(HOST, LONG, Purpose.POLL)) for _ in range(3)]
    await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    place.release()  # at the same moment
    await asyncio.gather(*gone, return_exceptions=True)
    await budget.place(HOST, 0.5, Purpose.POLL)


async def test_the_purpose_of_a_connection_may_change_while_it_is_open_and_while_it_waits() -> None:
    budget = HostBudget(1)
    share = budget.share(Purpose.BULK, lambda: None)
    release = await share.take(HOST, LONG)
    share.use(Purpose.POLL)
    with pytest.raises(Full):  # a poll does not end another
        await budget.place(HOST, 0.05, Purpose.POLL)
    release()
    await budget.place(HOST, LONG, Purpose.POLL)


async def test_a_full_host_is_told_apart_from_a_server_that_refuses() -> None:
    budget = HostBudget(1)
    await budget.take(HOST, 0.1)
    with pytest.raises(ProviderConnectError) as caught:
        await budget.take(HOST, 0.01)
    assert isinstance(caught.value, Full)
    assert caught.value.code == "too_many_connections"
