"""A connection to the log as one role: reconnects for ever, and what the server denies is an error, not silence."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import nats.errors
import structlog
from nats.aio.client import Client, Srv
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from contracts import streams
from services.log.errors import Closed, Forbidden

BATCHES_IN_FLIGHT = 8
"""A process' share of the 50 atomic batches that a stream takes at once (design §6)."""

_DENIED = re.compile(r"permissions violation for (?:publish|subscription) to \"?([^\"\s]+)", re.IGNORECASE)

log = structlog.get_logger()


class Connection(Client):
    """nats-py's client, whose requests and subscriptions raise Forbidden when the server denies them."""

    def __init__(self) -> None:
        super().__init__()
        self.batches = asyncio.Semaphore(BATCHES_IN_FLIGHT)
        self.role = ""
        self._denials: defaultdict[str, list[asyncio.Future[Any]]] = defaultdict(list)

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        timeout: float = 5,  # noqa: ASYNC109 - the signature is nats-py's
        old_style: bool = False,
        headers: dict[str, Any] | None = None,
    ) -> Msg:
        with self.watching(subject) as denied:
            asked = asyncio.ensure_future(super().request(subject, payload, timeout, old_style, headers))
            try:
                await asyncio.wait({asked, denied}, return_when=asyncio.FIRST_COMPLETED)
                if denied.done():
                    denied.result()
                return await asked
            finally:
                asked.cancel()

    async def subscribe(self, subject: str, *args: Any, **kwargs: Any) -> Subscription:
        """As nats-py's; returns when the server has it, so what is published from now on is seen."""
        with self.watching(subject) as denied:
            subscription = await self.listen(subject, *args, **kwargs)
            await self.flush()
            if denied.done():
                denied.result()
            return subscription

    async def flush(self, timeout: float = 10) -> None:  # noqa: ASYNC109 - the signature is nats-py's
        """Return when the server has had everything; nats-py's own lets its ping overtake what waits to be written."""
        await self._flush_pending(force_flush=True)
        await super().flush(timeout)  # type: ignore[arg-type] # fractions too

    async def _flush_pending(self, force_flush: bool = False) -> Any:
        """As nats-py's, which swallows a cancellation that comes while it waits, so that a lost lease would not end work."""
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        flushed = await super()._flush_pending(force_flush)
        if task is not None and task.cancelling() > before:
            raise asyncio.CancelledError
        return flushed

    async def _connect_to_server(self, s: Srv) -> None:
        """As nats-py's, which may lose a cancellation (`asyncio.wait_for` before 3.12) and would then try for ever, also when closed."""
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError
        await super()._connect_to_server(s)

    @staticmethod
    def _parse_header_lines(raw: bytes) -> dict[str, str]:
        """As nats-py's, which looks at every character and takes half of the time of reading the log."""
        lines = raw.decode(errors="replace").split("\r\n")
        return {name: value.strip() for name, colon, value in (line.partition(":") for line in lines) if colon}

    def note(self, error: Exception) -> None:
        """Take an error that the server sent without a request: wake whom it concerns, log the rest by kind only."""
        found = _DENIED.search(str(error))
        if found is None:
            log.warning("log connection failed", error=type(error).__name__)
            return
        denied = Forbidden(f"{self.role} may not use {found[1]}")
        waiting = self._denials.get(found[1].lower(), [])
        for future in waiting:
            if not future.done():
                future.set_exception(denied)
        log.error("denied by the log", role=self.role, waiting=len(waiting))

    async def listen(self, subject: str, *args: Any, **kwargs: Any) -> Subscription:
        """Subscribe without waiting, for what this connection asks for afterwards."""
        self._check_open()
        return await super().subscribe(subject, *args, **kwargs)

    def hears(self, subscription: Subscription | None) -> bool:
        """Whether more may come of it: one with a limit ends by itself, and what still waited for its callback is dropped."""
        return subscription is not None and subscription._id in self._subs  # noqa: SLF001 - nats-py tells nobody

    async def publish(self, *args: Any, **kwargs: Any) -> None:
        self._check_open()
        await super().publish(*args, **kwargs)

    def _check_open(self) -> None:
        if self.is_closed:
            raise Closed("the connection to the log is closed")

    @contextmanager
    def watching(self, subject: str) -> Iterator[asyncio.Future[Any]]:
        """A future that fails with Forbidden when the server denies the subject meanwhile."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        key = subject.lower()  # nats-py tells errors in lower case
        self._denials[key].append(future)
        try:
            yield future
        finally:
            self._denials[key].remove(future)
            if not self._denials[key]:
                del self._denials[key]
            if future.done():
                future.exception()  # seen, also when the answer came first


async def connect(url: str | Sequence[str], role: streams.Role) -> Connection:
    """Connect with the credentials of the URL; the first connection must succeed, later ones are tried for ever."""
    connection = Connection()
    connection.role = role

    async def failed(error: Exception) -> None:
        connection.note(error)

    async def lost() -> None:
        if not connection.is_closed:
            log.warning("log connection lost")

    async def found() -> None:
        log.info("log connection found again")

    await connection.connect(
        [url] if isinstance(url, str) else list(url),
        name=role,
        inbox_prefix=streams.inbox(role).encode(),
        allow_reconnect=True,
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.2,  # type: ignore[arg-type] # it sleeps for so long, fractions too
        error_cb=failed,
        disconnected_cb=lost,
        reconnected_cb=found,
    )
    return connection


NO_ANSWER = (
    nats.errors.TimeoutError,
    nats.errors.NoRespondersError,
    nats.errors.ConnectionReconnectingError,
    nats.errors.StaleConnectionError,
    nats.errors.OutboundBufferLimitError,
    OSError,
)
"""What a request raises when nobody knows whether it happened."""
