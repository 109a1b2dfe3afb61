"""Appends what the gateway and outbound have to say: requests without a fence, sends by compare-and-set (design §2)."""

import asyncio
import time
from collections.abc import Mapping
from uuid import uuid4

from contracts import codec
from contracts.facts import Fact
from services.log import api, headers
from services.log.connection import Connection
from services.log.errors import Conflict, Refused, Unavailable

PATIENCE = 8.0
"""Seconds for which an append is tried; well within the streams' window for recognising repetitions."""

_PAUSE = 0.05
_IN_PROCESS = 10158  # the same Nats-Msg-Id is being stored just now
_AGAIN = frozenset({_IN_PROCESS, api.WRONG_LAST_SEQUENCE_IN_FLIGHT, 10008, 10076, 10077})
"""Refusals that pass: also 10008 no leader, 10076 and 10077 the stream is not ready."""


async def append(nc: Connection, subject: str, fact: Fact, *, key: str = "", expected: int | None = None) -> int:
    """Append one fact and return its sequence. `key` (a request id) names it: the same key within two minutes is one fact.

    `expected`: only if the subject's last sequence is this (0: there is none), where every writer of it says so; raises
    Conflict. Raises Unavailable when there is no answer for `PATIENCE`; a later call with the same key finds out.
    """
    fence = {} if expected is None else {headers.EXPECTED: str(expected)}
    return await _append(nc, subject, fact, fence, key or uuid4().hex)


async def append_send(nc: Connection, subject: str, fact: Fact, *, expected: int) -> int:
    """Append a fact to `send.<id>` if the subject's last sequence is `expected` (0: there is none). Raises Conflict.

    Of all that expect the same, exactly one wins: `edited`, `cancelled` and `attempted` expect the last `queued` or
    `edited`. That is the whole undo protocol, so every write to the subject goes through here.
    """
    return await _append(nc, subject, fact, {headers.EXPECTED: str(expected)}, uuid4().hex)


async def _append(nc: Connection, subject: str, fact: Fact, fence: Mapping[str, str], key: str) -> int:
    codec.check_place(subject, fact)
    more = {headers.WRITTEN_BY: nc.role, headers.MESSAGE_ID: f"{subject}:{key}", **fence}
    deadline = time.monotonic() + PATIENCE
    pause = _PAUSE
    while True:
        try:
            answer = await api.publish(nc, subject, codec.encode(fact), more, timeout=api.TIMEOUT / 2)
            return int(answer["seq"])
        except Refused as refused:
            if refused.code == api.WRONG_LAST_SEQUENCE:
                raise Conflict(f"{subject} has a later fact than {fence[headers.EXPECTED]}") from refused
            if refused.code not in _AGAIN or time.monotonic() > deadline:
                raise
        except Unavailable:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, 1)
