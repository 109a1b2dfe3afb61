"""Events are published in order, many at once or few, and what was published before is not repeated."""

import pytest

from contracts import streams
from services.log import api
from services.log.connection import Connection
from services.log.publish import Message, publish


def events(count: int, first: int = 0) -> list[Message]:
    return [Message("event.user.thread.updated", b"%d" % n, f"toy.0.{n}") for n in range(first, first + count)]


async def published(nc: Connection) -> list[int]:
    found = await api.listed(nc, streams.EVENTS.name, {"seq": 1, "batch": 1000, "next_by_subj": "event.>"})
    return [int(message.data) for message in found.messages]


@pytest.mark.parametrize("count", [1, 3, 4, 200])
async def test_all_are_published_in_order_and_repeating_them_changes_nothing(nc: Connection, count: int) -> None:
    await publish(nc, events(count))
    assert await published(nc) == list(range(count))
    await publish(nc, events(count))
    assert await published(nc) == list(range(count))


async def test_a_page_of_which_some_were_published_before_is_completed(nc: Connection) -> None:
    await publish(nc, events(5))
    await publish(nc, events(20))
    assert sorted(await published(nc)) == list(range(20))


async def test_subscribers_hear_of_a_batch_as_of_single_events(nc: Connection) -> None:
    heard = await nc.subscribe("event.user.>")
    await publish(nc, events(10))
    assert [int((await heard.next_msg(timeout=5)).data) for _ in range(10)] == list(range(10))
    await heard.unsubscribe()
