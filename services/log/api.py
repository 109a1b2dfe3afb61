"""JetStream's own words: ask the leader, publish and take the answer, list by direct get."""

import asyncio
import base64
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from nats.aio.msg import Msg

from contracts.streams import facts_name
from services.log import headers
from services.log.connection import NO_ANSWER, Connection
from services.log.errors import Refused, Unavailable

TIMEOUT = 5.0
NOT_FOUND = 10037
STREAM_NOT_FOUND = 10059
WRONG_LAST_SEQUENCE = 10071
WRONG_LAST_SEQUENCE_IN_FLIGHT = 10164
_IDLE = 2.0


class Stored(NamedTuple):
    """A message of a stream."""

    sequence: int
    subject: str
    headers: Mapping[str, str]
    data: bytes


class Listing(NamedTuple):
    """What a direct get found: messages in order without a hole, and whether it came to its end.

    `up_to`: what the replica that answered knows of the stream, when it says so.
    """

    messages: list[Stored]
    complete: bool
    up_to: int = 0


async def ask(
    nc: Connection,
    subject: str,
    body: object = None,
    *,
    timeout: float = 0,  # noqa: ASYNC109 - of one request
) -> dict[str, Any]:
    """The answer of JetStream's API. Raises Refused, Unavailable, Forbidden."""
    payload = b"" if body is None else msgspec.json.encode(body)
    try:
        reply = await nc.request(f"$JS.API.{subject}", payload, timeout=timeout or TIMEOUT)
    except NO_ANSWER as error:
        raise Unavailable(f"no answer from the log: {type(error).__name__}") from error
    return _checked(reply)


async def from_leader(nc: Connection, stream: str, query: Mapping[str, object]) -> Stored | None:
    """One message by the stream's leader, which alone knows what is committed; None when there is none."""
    try:
        answer = await ask(nc, f"STREAM.MSG.GET.{stream}", query)
    except Refused as refused:
        if refused.code == NOT_FOUND:
            return None
        raise
    found = answer["message"]
    return Stored(found["seq"], found["subject"], _headers(found.get("hdrs")), base64.b64decode(found.get("data", "")))


async def last(nc: Connection, partition: int, subject: str) -> Stored | None:
    """The last fact under a subject or filter, by the leader."""
    return await from_leader(nc, facts_name(partition), {"last_by_subj": subject})


async def publish(
    nc: Connection,
    subject: str,
    data: bytes,
    more: Mapping[str, str],
    *,
    timeout: float = 0,  # noqa: ASYNC109 - of one request
) -> dict[str, Any]:
    """Store one message and return JetStream's acknowledgement ({} inside a batch). Raises Refused, Unavailable."""
    try:
        reply = await nc.request(subject, data, timeout=timeout or TIMEOUT, headers=dict(more))
    except NO_ANSWER as error:
        raise Unavailable(f"no acknowledgement from the log: {type(error).__name__}") from error
    return _checked(reply)


async def tell(nc: Connection, subject: str, data: bytes, more: Mapping[str, str]) -> None:
    """Send one message of a batch that JetStream does not answer."""
    try:
        await nc.publish(subject, data, headers=dict(more))
    except NO_ANSWER as error:
        raise Unavailable(f"not sent to the log: {type(error).__name__}") from error


async def listed(nc: Connection, stream: str, query: Mapping[str, object]) -> Listing:
    """Many messages by direct get (ADR-31), from any replica. A silence of two seconds ends it incomplete."""
    collector = _Collector()
    inbox = nc.new_inbox()
    asking = f"$JS.API.DIRECT.GET.{stream}"
    subscription = await nc.listen(inbox, cb=collector.take)
    try:
        with nc.watching(asking) as denied:
            denied.add_done_callback(lambda _: collector.stop())
            await nc.publish(asking, msgspec.json.encode(query), reply=inbox)
            await collector.wait()
            if denied.done():
                denied.result()
    except NO_ANSWER as error:
        raise Unavailable(f"no answer from the log: {type(error).__name__}") from error
    finally:
        if not nc.is_closed:
            await subscription.unsubscribe()
    return collector.listing()


class _Collector:
    """Takes the answers of one direct get and stops believing at the first hole."""

    def __init__(self) -> None:
        self._messages: list[Stored] = []
        self._whole = True
        self._end = asyncio.Event()
        self._up_to = 0
        self._heard = time.monotonic()

    async def take(self, message: Msg) -> None:
        self._heard = time.monotonic()
        said = message.headers or {}
        status = said.get(headers.STATUS)
        if status is not None:
            self._finish(status, said)
        elif self._whole:
            before = self._messages[-1].sequence if self._messages else 0
            self._whole = int(said[headers.LAST_SEQUENCE]) == before
            if self._whole:
                self._messages.append(Stored(int(said[headers.SEQUENCE]), said[headers.SUBJECT], said, message.data))

    async def wait(self) -> None:
        while not self._end.is_set():
            quiet = time.monotonic() - self._heard
            if quiet >= _IDLE:
                self._whole = False
                return
            try:
                async with asyncio.timeout(_IDLE - quiet):  # wait_for, before 3.12, may swallow a cancellation
                    await self._end.wait()
            except TimeoutError:
                continue

    def stop(self) -> None:
        self._whole = False
        self._end.set()

    def listing(self) -> Listing:
        return Listing(self._messages, self._whole, self._up_to)

    def _finish(self, status: str, said: Mapping[str, str]) -> None:
        """204: the end of the batch, with what was its last; 404: nothing there; else not answered (ADR-31)."""
        if status == "204":
            before = self._messages[-1].sequence if self._messages else 0
            self._whole = self._whole and int(said.get(headers.LAST_SEQUENCE, 0)) == before
            self._up_to = int(said.get(headers.UP_TO_SEQUENCE, 0))
        elif status != "404":
            self._whole = False
        self._end.set()


def _checked(reply: Msg) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.json.decode(reply.data) if reply.data else {}
    error = answer.get("error")
    if error:
        raise Refused(error.get("err_code", 0), error.get("description", "refused"))
    return answer


def _headers(encoded: str | None) -> dict[str, str]:
    """NATS/1.0 header lines after the version line."""
    if not encoded:
        return {}
    lines = base64.b64decode(encoded).decode(errors="replace").split("\r\n")[1:]
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
