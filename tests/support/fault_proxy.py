"""A TCP proxy that cuts, holds, stalls, refuses or trickles."""

import asyncio
import socket
import struct
from dataclasses import dataclass, field
from typing import Literal, Self


@dataclass
class Trap:
    """Springs on the first connection in which `words` are said by `by`, for the `nth` time; then never again.

    `after`: so many bytes that the server says after them are still passed on.
    """

    words: bytes
    by: Literal["client", "server"] = "client"
    after: int = 0
    nth: int = 1
    sprung: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class _Connection:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    sent: int = 0
    said: dict[str, bytes] = field(default_factory=lambda: {"client": b"", "server": b""})
    last: int | None = None  # bytes that the server may still say


class FaultProxy:
    """Bytes are counted from the server to the client, over each connection by itself.

    `cut_after` ends the connection after so many; `stall_after` keeps it open and silent; `chunk` and `delay` make it
    trickle; `trap` cuts once where certain words are said; `refused` commands get BAD instead of reaching the server;
    commands with the words of `hold` wait for `release`, once. With `reset` connections end by RST, else by FIN. All may be
    changed while it runs; `cut()` ends what is open now.
    """

    def __init__(self, port: int, *, listen: str = "127.0.0.1", reset: bool = False) -> None:
        self.target = ("127.0.0.1", port)
        self.listen = listen
        self.reset = reset
        self.cut_after: int | None = None
        self.stall_after: int | None = None
        self.chunk = 65536
        self.delay = 0.0
        self.trap: Trap | None = None
        self.refused: tuple[bytes, ...] = ()
        self.hold: bytes | None = None
        self.held = asyncio.Event()
        self.release = asyncio.Event()
        self.commands = b""  # all that clients said
        self.replies = bytearray()  # all that the server said
        self.connections = 0
        self.port = 0
        self._open: set[_Connection] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, self.listen, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def cut(self) -> None:
        for connection in [*self._open]:
            self._end(connection)

    def _end(self, connection: _Connection) -> None:
        self._open.discard(connection)
        for writer in (connection.client, connection.server):
            if self.reset and not writer.is_closing():
                linger = struct.pack("ii", 1, 0)  # closed with a reset
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            if self.reset or writer is connection.server:
                writer.transport.abort()
            else:
                writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            server_reader, server_writer = await asyncio.open_connection(*self.target)
        except ConnectionError:
            writer.transport.abort()
            return
        connection = _Connection(writer, server_writer)
        self._open.add(connection)
        for coroutine in (self._up(reader, connection), self._down(server_reader, connection)):
            task = asyncio.create_task(coroutine)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _up(self, reader: asyncio.StreamReader, connection: _Connection) -> None:
        try:
            while data := await reader.read(65536):
                self.commands += data
                if self._springs("client", data, connection) is not None:
                    if connection.last == 0:
                        return
                elif any(words in data for words in self.refused):
                    connection.client.write(data.split(b" ")[0] + b" BAD that was a lie\r\n")
                    continue
                if self.hold is not None and self.hold in data:
                    self.hold = None
                    self.held.set()
                    await self.release.wait()
                connection.server.write(data)
                await connection.server.drain()
        except ConnectionError:
            return
        finally:
            self._end(connection)

    async def _down(self, reader: asyncio.StreamReader, connection: _Connection) -> None:
        try:
            while data := await reader.read(self.chunk):
                found = self._springs("server", data, connection) if connection.last is None else 0
                if found is not None and connection.last is not None:
                    cut = found + connection.last
                    connection.last = max(0, cut - len(data))
                    if cut <= len(data):
                        await self._pass(data[:cut], connection)
                        return
                if self.cut_after is not None and connection.sent + len(data) >= self.cut_after:
                    await self._pass(data[: max(0, self.cut_after - connection.sent)], connection)
                    return
                if self.stall_after is not None and connection.sent + len(data) >= self.stall_after:
                    await asyncio.Event().wait()
                await self._pass(data, connection)
                await asyncio.sleep(self.delay)
        except ConnectionError:
            return
        finally:
            self._end(connection)

    async def _pass(self, data: bytes, connection: _Connection) -> None:
        connection.sent += len(data)
        self.replies += data
        connection.client.write(data)
        await connection.client.drain()

    def _springs(self, by: str, data: bytes, connection: _Connection) -> int | None:
        """Where in `data` the trap's words end, if they do; from there `connection.last` is counted."""
        trap = self.trap
        if trap is None or trap.by != by:
            return None
        before = connection.said[by]
        connection.said[by] = before + data
        if connection.said[by].count(trap.words) < trap.nth:
            return None
        end = -1
        for _ in range(trap.nth):
            end = connection.said[by].index(trap.words, end + 1)
        self.trap = None
        trap.sprung.set()
        connection.last = trap.after
        return end + len(trap.words) - len(before)
