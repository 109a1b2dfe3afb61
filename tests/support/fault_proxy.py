"""A TCP proxy that cuts, stalls or trickles what the server says."""

import asyncio
from typing import Self


class FaultProxy:
    """Bytes are counted from the server to the client, over each connection by itself.

    `cut_after` ends the connection after so many, by a reset with `reset`; `stall_after` keeps it open and silent;
    `chunk` and `delay` make it trickle. All may be changed while it runs; `cut()` ends what is open now.
    """

    def __init__(self, port: int, *, listen: str = "127.0.0.1") -> None:
        self.target = ("127.0.0.1", port)
        self.listen = listen
        self.cut_after: int | None = None
        self.reset = False
        self.stall_after: int | None = None
        self.chunk = 65536
        self.delay = 0.0
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()
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
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(*self.target)
        self._open |= {writer, server_writer}
        for coroutine in (self._up(reader, server_writer), self._down(server_reader, writer)):
            task = asyncio.create_task(coroutine)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            return
        finally:
            writer.transport.abort()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = 0
        try:
            while data := await reader.read(self.chunk):
                if self.cut_after is not None and sent + len(data) >= self.cut_after:
                    writer.write(data[: max(0, self.cut_after - sent)])
                    await writer.drain()
                    if not self.reset:
                        writer.close()
                    return
                if self.stall_after is not None and sent + len(data) >= self.stall_after:
                    await asyncio.Event().wait()
                sent += len(data)
                writer.write(data)
                await writer.drain()
                await asyncio.sleep(self.delay)
        except ConnectionError:
            return
        finally:
            if self.reset or not writer.is_closing():
                writer.transport.abort()
