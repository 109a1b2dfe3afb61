"""A TCP proxy before nats-server that cuts connections at chosen moments."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

Cut = Callable[[bytes], bool]


def never(_: bytes) -> bool:
    return False


class Proxy:
    """`cut_asked` and `cut_answered` see every chunk to and from the server; where one says so, the chunk is lost and
    the connection ends.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._links: set[asyncio.Task[None]] = set()
        self.cut_asked: Cut = never
        self.cut_answered: Cut = never
        self.cuts = 0

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        return f"nats://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self._server.close()
        for link in self._links:
            link.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)
        await self._server.wait_closed()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
            pumps = [
                asyncio.create_task(self._pump(reader, up_writer, asking=True)),
                asyncio.create_task(self._pump(up_reader, writer, asking=False)),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
                for end in (writer, up_writer):
                    end.close()
                    with suppress(OSError):
                        await end.wait_closed()
        except OSError:
            writer.close()
        finally:
            self._links.discard(task)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, asking: bool) -> None:
        with suppress(OSError):
            while chunk := await source.read(65536):
                cut = self.cut_asked if asking else self.cut_answered
                if cut(chunk):
                    self.cuts += 1
                    return
                sink.write(chunk)
                await sink.drain()
