"""An IMAP server that says what a test wants it to, however wrong."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Self

CAPABILITY = b"* CAPABILITY IMAP4rev1\r\n$ OK done\r\n"
EXAMINE = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 4] ok\r\n$ OK [READ-ONLY] done\r\n"
POLITE = {
    "CAPABILITY": CAPABILITY,
    "LOGIN": b"$ OK in\r\n",
    "EXAMINE": EXAMINE,
    "NOOP": b"$ OK done\r\n",
    "LOGOUT": b"* BYE bye\r\n$ OK out\r\n",
}

Script = bytes | Callable[["Conversation", bytes], object]


class Conversation:
    """One client. `$` in what is said stands for the tag of its last command."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.tag = b"*"

    def say(self, text: bytes) -> None:
        self.writer.write(text.replace(b"$", self.tag))

    def hang_up(self) -> None:
        self.writer.transport.abort()


class ScriptedImap:
    """Answers each command by its verb (`UID FETCH`, `EXAMINE`): bytes are said, a function is called with the rest.

    What the script doesn't name is answered politely. `heard` holds every line of every client.
    """

    def __init__(self, script: Mapping[str, Script] | None = None, greeting: bytes = b"* OK ready\r\n") -> None:
        self.script = {**POLITE, **(script or {})}
        self.greeting = greeting
        self.heard: list[bytes] = []
        self.port = 0
        self._clients: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for client in self._clients:
            client.transport.abort()
        await self._server.wait_closed()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.append(writer)
        conversation = Conversation(reader, writer)
        conversation.say(self.greeting)
        try:
            while line := await reader.readline():
                self.heard.append(line)
                conversation.tag, _, rest = line.strip().partition(b" ")
                script = self._script(rest)
                if isinstance(script, bytes):
                    conversation.say(script)
                elif script is None:
                    conversation.say(b"$ BAD unknown\r\n")
                else:
                    result = script(conversation, rest)
                    if asyncio.iscoroutine(result):
                        await result
        except ConnectionError:
            return
        finally:
            writer.transport.abort()

    def _script(self, rest: bytes) -> Script | None:
        words = rest.decode("latin-1").upper().split()
        return self.script.get(" ".join(words[:2])) or self.script.get(words[0] if words else "")
