"""Mail servers for many accounts: IMAP4rev1 on eight loopback hosts in one small process, steered over a socket."""

import asyncio
import json
import socket
import subprocess
import sys
from functools import partial
from typing import Self

import uvloop

from tests.support.farm_session import MAILBOXES, Box, Count, Servers, Session, username

HOSTS = tuple(f"127.0.0.{last}" for last in range(11, 19))


async def serve(accounts: int, messages: int) -> None:
    """Say where they listen, then serve until whoever steers them is gone."""
    servers = Servers(
        {
            username(n): {name: Box(n, name, messages if name == "INBOX" else 0) for name in MAILBOXES}
            for n in range(accounts)
        }
    )
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    listening = [await loop.create_server(partial(Session, servers, host), host, 0, backlog=1000) for host in HOSTS]
    listening.append(await asyncio.start_server(partial(obey, servers, ended), HOSTS[0], 0))
    sys.stdout.write(json.dumps([server.sockets[0].getsockname()[1] for server in listening]) + "\n")
    sys.stdout.flush()
    await ended.wait()


async def obey(
    servers: Servers, ended: asyncio.Event, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """`append <account> <mailbox> <bytes>` and then these, or `count`; a line of JSON answers each."""
    while line := await reader.readline():
        verb, *arguments = line.decode().split()
        if verb == "append":
            account, mailbox, length = arguments
            servers.boxes[username(int(account))][mailbox].append(await reader.readexactly(int(length)))
        writer.write(json.dumps(servers.count()._asdict()).encode() + b"\n")
    writer.close()
    ended.set()


class Farm:
    """The servers' process, for as long as the block lasts. Account n is at host n modulo eight."""

    def __init__(self, accounts: int, messages: int) -> None:
        self._arguments = [str(accounts), str(messages)]

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.support.imap_farm", *self._arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        *self._ports, control = json.loads(self._process.stdout.readline())
        self._control = socket.create_connection((HOSTS[0], control), timeout=30)
        self._answers = self._control.makefile("rb")
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self._control.close()
        self._process.communicate()

    def imap(self, account: int) -> dict[str, object]:
        """Where the account is, as accounts keep it."""
        place = account % len(HOSTS)
        return {"host": HOSTS[place], "port": self._ports[place], "tls": "none", "username": username(account)}

    def append(self, account: int, raw: bytes, mailbox: str = "INBOX") -> None:
        """New mail, of which who idles there has been told when this returns."""
        self._ask(b"append %d %b %d\n%b" % (account, mailbox.encode(), len(raw), raw))

    def count(self) -> Count:
        return self._ask(b"count\n")

    def _ask(self, question: bytes) -> Count:
        self._control.sendall(question)
        return Count(**json.loads(self._answers.readline()))


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
