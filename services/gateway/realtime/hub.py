"""Which sockets are open here, for whom; what is announced reaches every socket of its user and no other."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import structlog
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from contracts import events, subjects
from contracts.codec import UnknownFact, decode_event, encode
from contracts.events import BROWSER, UserActive
from projections.sql import Pool
from services.database import hearing
from services.log.connection import Connection as Log
from services.state import sessions

QUEUE = 256
RECHECK = 60
"""Seconds between two looks at which sessions have expired, or were revoked while we could not hear of it."""

ACTIVE = 60
"""Seconds in which a user's coming is announced once, however many sockets and logins there are."""

STILL = 600
"""Seconds after which an open socket is announced again: who reads for hours is there all the time."""

REVOKED = 4401
TOO_SLOW = 1013  # RFC 6455's registry: try again later
GOING_AWAY = 1001

log = structlog.get_logger()


class Socket:
    """One browser's end: frames wait here for as long as it keeps up, and it is told once how it ends."""

    def __init__(self, session: sessions.Session) -> None:
        self.session = session
        self.close_code = 0
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, frame: bytes) -> None:
        """Never waits: a browser that does not keep up is closed and will fetch everything afresh."""
        if self._frames.qsize() >= QUEUE:
            self.end(TOO_SLOW)
        elif not self.close_code:
            self._frames.put_nowait(frame)

    def end(self, code: int) -> None:
        """What is still waiting is dropped."""
        if self.close_code:
            return
        self.close_code = code
        while not self._frames.empty():
            self._frames.get_nowait()
        self._frames.put_nowait(None)

    async def frames(self) -> AsyncIterator[bytes]:
        """Until it ends."""
        while (frame := await self._frames.get()) is not None:
            yield frame


class Hub:
    """One subscription to the log for each user who has a socket here."""

    def __init__(self, nats: Log, db: Pool, database_url: str) -> None:
        self._nats = nats
        self._db = db
        self._database_url = database_url
        self._sockets: defaultdict[UUID, set[Socket]] = defaultdict(set)
        self._subscriptions: dict[UUID, Subscription] = {}
        self._changing = asyncio.Lock()
        self._active: dict[UUID, float] = {}

    async def listen(self) -> None:
        """Hear of revoked sessions until cancelled; then every socket is told to go.

        Postgres tells which session ended; while it can't, and for those that just expire, we look ourselves.
        """
        try:
            while True:
                try:
                    await self._hear()
                except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                    log.warning("not hearing of revoked sessions", error=type(error).__name__)
                await asyncio.sleep(1)
        finally:
            for socket in self._all():
                socket.end(GOING_AWAY)

    @asynccontextmanager
    async def joined(self, socket: Socket) -> AsyncIterator[None]:
        """The socket hears its user's events; when the block is entered none can be missed any more."""
        user_id = socket.session.user_id
        async with self._changing:
            if user_id not in self._subscriptions:
                self._subscriptions[user_id] = await self._subscribe(user_id)
            self._sockets[user_id].add(socket)
        try:
            await self._recheck({socket})  # it may have been revoked before anybody knew of this socket
            yield
        finally:
            async with self._changing:
                self._sockets[user_id].discard(socket)
                if not self._sockets[user_id]:
                    del self._sockets[user_id]
                    await self._unsubscribe(user_id)

    async def announce_active(self, user_id: UUID) -> None:
        """Somebody is looking: sync puts the user's accounts first (§8.3)."""
        now = time.monotonic()
        if now - self._active.get(user_id, -ACTIVE) >= ACTIVE:
            self._active[user_id] = now
            active = UserActive(user_id=user_id)
            await self._nats.publish(subjects.event(user_id, events.name(UserActive)), encode(active))

    @property
    def listening(self) -> set[UUID]:
        """Whose events the log sends here."""
        return set(self._subscriptions)

    def revoke(self, session_id: UUID) -> None:
        for socket in self._all():
            if socket.session.id == session_id:
                socket.end(REVOKED)

    async def _subscribe(self, user_id: UUID) -> Subscription:
        async def relay(message: Msg) -> None:
            frame = _frame(user_id, message.data)
            if frame is not None:
                for socket in self._sockets.get(user_id, ()):
                    socket.send(frame)

        return await self._nats.subscribe(subjects.event(user_id, subjects.REST), cb=relay)

    async def _unsubscribe(self, user_id: UUID) -> None:
        subscription = self._subscriptions.pop(user_id)
        if not self._nats.is_closed:
            await subscription.unsubscribe()

    async def _hear(self) -> None:
        """Until the connection is lost."""
        async with hearing(self._database_url, sessions.CHANNEL, self._told) as lost:
            while not lost.is_set():
                await self._recheck(self._all())
                await self._announce_those_still_here()
                with suppress(TimeoutError):
                    async with asyncio.timeout(RECHECK):
                        await lost.wait()

    async def _announce_those_still_here(self) -> None:
        now = time.monotonic()
        for user_id, at in list(self._active.items()):
            if user_id not in self._subscriptions and now - at >= ACTIVE:
                del self._active[user_id]
            elif now - at >= STILL:
                await self.announce_active(user_id)

    def _told(self, *notice: Any) -> None:
        self.revoke(UUID(notice[-1]))

    async def _recheck(self, sockets: set[Socket]) -> None:
        if not sockets:
            return
        alive = await sessions.alive(self._db, {socket.session.id for socket in sockets})
        for socket in sockets:
            if socket.session.id not in alive:
                socket.end(REVOKED)

    def _all(self) -> set[Socket]:
        return {socket for sockets in self._sockets.values() for socket in sockets}


def _frame(user_id: UUID, data: bytes) -> bytes | None:
    """`{event, payload}` (§9.2); None for what is not for browsers, or not this user's."""
    try:
        event = decode_event(data)
    except UnknownFact:
        return None
    if not isinstance(event, BROWSER) or event.user_id != user_id:
        return None
    return frame(msgspec.to_builtins(event))


def frame(said: Mapping[str, Any]) -> bytes:
    """A frame from an event's name and all else that it says."""
    payload = {name: value for name, value in said.items() if name != "event"}
    return msgspec.json.encode({"event": said["event"], "payload": payload})
