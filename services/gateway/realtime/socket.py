"""`/api/ws`: every event of the catalog to the browser of the user whose it is; from the browser only `ping` (§9.2)."""

import asyncio
from contextlib import suppress
from typing import Any, Literal

import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect

from services.gateway.deps import Gateway
from services.gateway.realtime.hub import REVOKED, Socket, frame
from services.gateway.security import SESSION_COOKIE, is_foreign
from services.state import sessions

FOREIGN = 4403
UNEXPECTED = 1008  # RFC 6455 §7.4.1: policy violation


class Ping(msgspec.Struct, frozen=True):
    """All that a browser may say."""

    type: Literal["ping"]


_pong = frame({"event": "pong"})
_ping = msgspec.json.Decoder(Ping)

AnySocket = WebSocket[Any, Any, Any]


@websocket("/ws")
async def events(socket: AnySocket) -> None:
    """A foreign page is refused at the handshake (403); without a session it is opened and closed with 4401."""
    gateway: Gateway = socket.app.state.gateway
    if is_foreign(socket):
        await socket.close(code=FOREIGN)
        return
    await socket.accept()
    token = socket.cookies.get(SESSION_COOKIE, "")
    session = await sessions.find(gateway.db, token, gateway.settings.session_ttl_days)
    if session is None:
        await socket.close(code=REVOKED)
        return
    mine = Socket(session)
    async with gateway.hub.joined(mine):
        await gateway.hub.announce_active(session.user_id)
        await _converse(socket, mine)


async def _converse(socket: AnySocket, mine: Socket) -> None:
    """Until the browser leaves, says what it may not, does not keep up, or is told to go."""
    listening = asyncio.create_task(_listen(socket, mine))
    try:
        with suppress(WebSocketDisconnect):
            async for text in mine.frames():
                await socket.send_text(text.decode())
            if mine.close_code != _GONE:
                await socket.close(code=mine.close_code)
    finally:
        listening.cancel()


_GONE = 1000


async def _listen(socket: AnySocket, mine: Socket) -> None:
    try:
        while True:
            _ping.decode(await socket.receive_text())
            mine.send(_pong)
    except WebSocketDisconnect:
        mine.end(_GONE)
    except (msgspec.MsgspecError, UnicodeError, KeyError):
        mine.end(UNEXPECTED)
