"""Which mail hosts are to be left alone, as this process knows it: at once what it said, and what others said when it hears."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import msgspec
import structlog
from nats.aio.msg import Msg

from contracts.streams import COOLDOWNS
from services.jobs import cooldowns
from services.jobs.cooldowns import Cooldown, group
from services.log import api
from services.log.connection import Connection
from services.log.errors import LogError

_PREFIX = f"$KV.{COOLDOWNS.name}."
_EVERYTHING = f"{_PREFIX}>"

log = structlog.get_logger()


class Cooldowns:
    """Of all hosts, for all accounts of the process."""

    def __init__(self, nc: Connection) -> None:
        self._nc = nc
        self._known: dict[str, datetime] = {}

    @asynccontextmanager
    async def followed(self) -> AsyncIterator["Cooldowns"]:
        """Hear of others' while the block runs; what was said before is asked for when it begins."""

        async def heard(message: Msg) -> None:
            self._learn(message.subject, message.data)

        subscription = await self._nc.subscribe(_EVERYTHING, cb=heard)
        try:
            found = await api.listed(self._nc, f"KV_{COOLDOWNS.name}", {"multi_last": [_EVERYTHING]})
            for stored in found.messages:
                self._learn(stored.subject, stored.data)
            yield self
        finally:
            if not self._nc.is_closed:
                await subscription.unsubscribe()

    def left(self, host: str) -> float:
        """Seconds for which the host is still to be left alone; 0 when it is not."""
        end = self._known.get(group(host))
        return max(0.0, (end - datetime.now(UTC)).total_seconds()) if end else 0.0

    async def over(self, host: str) -> None:
        """Return when the host may be asked, also if its time is prolonged meanwhile."""
        while True:
            left = self.left(host)
            if not left:
                return
            await asyncio.sleep(left)

    async def cool(self, host: str, seconds: float) -> None:
        """Leave the host alone for so long, or longer when somebody said so already."""
        end = datetime.now(UTC) + timedelta(seconds=seconds)
        known = self._known.get(group(host))
        if known is not None and known >= end:
            return
        self._known[group(host)] = end
        log.warning("mail host cools down", group=group(host), seconds=round(seconds))
        try:
            await cooldowns.cool(self._nc, group(host), end)
        except LogError as error:
            log.warning("cooldown not kept", error=type(error).__name__)

    def _learn(self, subject: str, data: bytes) -> None:
        """What is no cooldown, whoever wrote it, is passed over."""
        try:
            end = msgspec.json.decode(data, type=Cooldown).until
        except msgspec.MsgspecError:
            return
        if end.tzinfo is not None:
            key = subject.removeprefix(_PREFIX)
            self._known[key] = max(end, self._known.get(key, end))
