"""One server of the farm: what it says of mailboxes that only grow (RFC 3501, RFC 7162), which are kept as next to nothing.

Of QRESYNC it says what is new, and never that something vanished.
"""

import asyncio
import base64
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

PASSWORD = "farm"
MAILBOXES = {"INBOX": "", "Sent": " \\Sent", "Trash": " \\Trash"}
UIDVALIDITY = 7
DATE = '"01-Jan-2024 00:00:00 +0000"'
CAPABILITY = (
    "IMAP4rev1 SASL-IR AUTH=PLAIN ID ENABLE IDLE NAMESPACE "
    "LIST-EXTENDED LIST-STATUS SPECIAL-USE ESEARCH CONDSTORE QRESYNC"
)
BODY = re.compile(r"BODY\.PEEK\[(HEADER\.FIELDS \(([^)]*)\))?\](?:<(\d+)\.(\d+)>)?")
SINCE = re.compile(r"CHANGEDSINCE (\d+)")
QRESYNC = re.compile(r"\(QRESYNC \(\d+ (\d+)")


def username(account: int) -> str:
    return f"a{account}@farm.example"


class Count(NamedTuple):
    """Connections now, how many of them idle, and the most at once of one account and of one host; commands so far."""

    connections: int
    idling: int
    most_of_account: int
    most_of_host: int
    commands: int


class Box:
    """A mailbox of messages that stay as they came: the n-th has UID n and MODSEQ n + 1.

    Those it began with are made when they are asked for.
    """

    def __init__(self, account: int, name: str, messages: int) -> None:
        self.watchers: set[Session] = set()
        self._begin = (account, name, messages)
        self._more: list[bytes] = []

    @property
    def count(self) -> int:
        return self._begin[2] + len(self._more)

    def raw(self, uid: int) -> bytes:
        account, name, messages = self._begin
        return self._more[uid - messages - 1] if uid > messages else made(account, f"{name} {uid}")

    def append(self, raw: bytes) -> None:
        self._more.append(raw)
        for session in self.watchers:
            session.tell()

    def status(self, wanted: str) -> str:
        known = {
            "UIDVALIDITY": UIDVALIDITY,
            "UIDNEXT": self.count + 1,
            "MESSAGES": self.count,
            "HIGHESTMODSEQ": self.count + 1,
        }
        return " ".join(f"{name} {known[name]}" for name in wanted.split() if name in known)


def made(account: int, what: str) -> bytes:
    """A small message that is like no other."""
    return (
        f"From: Somebody <s{account}@farm.example>\r\nTo: {username(account)}\r\nSubject: farm {what} of {account}\r\n"
        f"Date: Mon, 1 Jan 2024 00:00:00 +0000\r\nMessage-ID: <{what.replace(' ', '.')}.{account}@farm.example>\r\n\r\n"
        f"{'Some words that nobody reads. ' * 20}\r\n"
    ).encode()


@dataclass
class Servers:
    """All accounts, who is connected, and how many at most there were."""

    boxes: dict[str, dict[str, Box]]
    connections: int = 0
    idling: int = 0
    commands: int = 0
    of_account: Counter[str] = field(default_factory=Counter)
    of_host: Counter[str] = field(default_factory=Counter)
    most_of_account: int = 0
    most_of_host: int = 0

    def count(self) -> Count:
        return Count(self.connections, self.idling, self.most_of_account, self.most_of_host, self.commands)

    def logged_in(self, user: str) -> None:
        self.of_account[user] += 1
        self.most_of_account = max(self.most_of_account, self.of_account[user])

    def connected(self, host: str, change: int) -> None:
        self.connections += change
        self.of_host[host] += change
        self.most_of_host = max(self.most_of_host, self.of_host[host])


class Session(asyncio.Protocol):
    """One connection. `_exists` is the number of messages that the client was last told of."""

    def __init__(self, servers: Servers, host: str) -> None:
        self._servers = servers
        self._host = host
        self._user = ""
        self._rest = b""
        self._box: Box | None = None
        self._exists = 0
        self._idle = ""  # the tag of an IDLE

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._servers.connected(self._host, 1)
        self._say(f"* OK [CAPABILITY {CAPABILITY}] ready")

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        self._servers.connected(self._host, -1)
        self._servers.of_account[self._user] -= 1
        self._servers.idling -= bool(self._idle)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        for line in lines:
            self._hear(line.decode("latin-1"))

    def tell(self) -> None:
        """At once to who idles, to others with their next answer."""
        if self._idle:
            self._news()

    def _news(self) -> None:
        if self._box is not None and self._box.count > self._exists:
            self._exists = self._box.count
            self._say(f"* {self._exists} EXISTS")

    def _hear(self, line: str) -> None:
        if self._idle:
            tag, self._idle = self._idle, ""
            self._servers.idling -= 1
            self._say(f"{tag} OK done" if line.upper() == "DONE" else f"{tag} BAD DONE was expected")
            return
        self._servers.commands += 1
        tag, _, rest = line.partition(" ")
        verb, _, arguments = rest.removeprefix("UID ").partition(" ")
        answer = COMMANDS.get(verb.upper())
        done = answer(self, tag, arguments) if answer else "BAD unknown"
        if done:
            self._news()
            self._say(f"{tag} {done}")

    def _say(self, line: str) -> None:
        self._transport.write(line.encode("latin-1") + b"\r\n")

    def _leave(self) -> None:
        if self._box is not None:
            self._box.watchers.discard(self)
            self._box = None

    # -- one method a command: it gives the answer's last line, unless it has said that itself

    def capability(self, tag: str, arguments: str) -> str:
        self._say(f"* CAPABILITY {CAPABILITY}")
        return "OK done"

    def noop(self, tag: str, arguments: str) -> str:
        return "OK done"

    def id(self, tag: str, arguments: str) -> str:
        self._say('* ID ("name" "farm")')
        return "OK done"

    def namespace(self, tag: str, arguments: str) -> str:
        self._say('* NAMESPACE (("" "/")) NIL NIL')
        return "OK done"

    def enable(self, tag: str, arguments: str) -> str:
        self._say(f"* ENABLED {arguments}")
        return "OK done"

    def authenticate(self, tag: str, arguments: str) -> str:
        _, user, password = base64.b64decode(arguments.partition(" ")[2]).decode().split("\0")
        if user not in self._servers.boxes or password != PASSWORD:
            return "NO [AUTHENTICATIONFAILED] no"
        self._user = user
        self._servers.logged_in(user)
        return f"OK [CAPABILITY {CAPABILITY}] in"

    def logout(self, tag: str, arguments: str) -> str:
        self._say("* BYE bye")
        self._say(f"{tag} OK out")
        self._transport.close()
        return ""

    def list(self, tag: str, arguments: str) -> str:
        wanted = re.search(r"STATUS \(([^)]*)\)", arguments)
        for name, box in self._servers.boxes[self._user].items():
            self._say(f'* LIST (\\HasNoChildren{MAILBOXES[name]}) "/" {name}')
            if wanted:
                self._say(f"* STATUS {name} ({box.status(wanted[1])})")
        return "OK done"

    def status(self, tag: str, arguments: str) -> str:
        name, _, wanted = arguments.partition(" ")
        box = self._servers.boxes[self._user].get(name.strip('"'))
        if box is None:
            return "NO [NONEXISTENT] no such mailbox"
        self._say(f"* STATUS {name} ({box.status(wanted.strip('()'))})")
        return "OK done"

    def examine(self, tag: str, arguments: str) -> str:
        self._leave()
        name, _, parameters = arguments.partition(" ")
        box = self._servers.boxes[self._user].get(name.strip('"'))
        if box is None:
            return "NO [NONEXISTENT] no such mailbox"
        self._box, self._exists = box, box.count
        box.watchers.add(self)
        self._say("* FLAGS (\\Seen)")
        self._say(f"* {box.count} EXISTS")
        self._say(f"* OK [UIDVALIDITY {UIDVALIDITY}] as ever")
        self._say(f"* OK [UIDNEXT {box.count + 1}] next")
        self._say(f"* OK [HIGHESTMODSEQ {box.count + 1}] so far")
        known = QRESYNC.search(parameters)
        for uid in range(max(1, int(known[1])), box.count + 1) if known else ():
            self._say(f"* {uid} FETCH (UID {uid} FLAGS () MODSEQ ({uid + 1}))")
        return "OK [READ-ONLY] done"

    def close(self, tag: str, arguments: str) -> str:
        self._leave()
        return "OK done"

    def search(self, tag: str, arguments: str) -> str:
        found = re.search(r"UID (\d+(?::(?:\d+|\*))?)$| ALL$", arguments)
        if self._box is None or found is None:
            return "BAD not so"
        first, last = self._span(found[1] or "1:*")
        told = f" UID ALL {first}:{last}" if first <= last else " UID"
        self._say(f'* ESEARCH (TAG "{tag}"){told}')
        return "OK done"

    def _span(self, uids: str) -> tuple[int, int]:
        """One range, as there are no holes."""
        ends = [self._count if end == "*" else int(end) for end in uids.split(":")]
        return max(1, min(ends)), min(self._count, max(ends))

    @property
    def _count(self) -> int:
        return self._box.count if self._box else 0

    def fetch(self, tag: str, arguments: str) -> str:
        uids, _, items = arguments.partition(" ")
        if self._box is None:
            return "BAD not so"
        since = SINCE.search(items)
        after = int(since[1]) - 1 if since else 0
        for part in uids.split(","):
            first, last = self._span(part)
            for uid in range(max(first, after + 1), last + 1):
                self._transport.write(message(uid, self._box, f"{items} MODSEQ" if since else items))
        return "OK done"

    def idle(self, tag: str, arguments: str) -> str:
        self._idle = tag
        self._servers.idling += 1
        self._say("+ waiting")
        self._news()
        return ""


COMMANDS: dict[str, Callable[[Session, str, str], str]] = {
    "AUTHENTICATE": Session.authenticate,
    "CAPABILITY": Session.capability,
    "CLOSE": Session.close,
    "ENABLE": Session.enable,
    "EXAMINE": Session.examine,
    "FETCH": Session.fetch,
    "ID": Session.id,
    "IDLE": Session.idle,
    "LIST": Session.list,
    "LOGOUT": Session.logout,
    "NAMESPACE": Session.namespace,
    "NOOP": Session.noop,
    "SEARCH": Session.search,
    "STATUS": Session.status,
}


def message(uid: int, box: Box, items: str) -> bytes:
    """One FETCH reply."""
    raw = box.raw(uid)
    told = [f"UID {uid}", "FLAGS ()"]
    told += [f"INTERNALDATE {DATE}"] if "INTERNALDATE" in items else []
    told += [f"RFC822.SIZE {len(raw)}"] if "RFC822.SIZE" in items else []
    told += [f"MODSEQ ({uid + 1})"] if "MODSEQ" in items else []
    body = BODY.search(items)
    head = f"* {uid} FETCH ({' '.join(told)}"
    if body is None:
        return f"{head})\r\n".encode()
    content, where = raw, ""
    if body[1]:
        content = fields(raw, body[2].upper().split())
    if body[3]:
        content, where = content[int(body[3]) : int(body[3]) + int(body[4])], f"<{body[3]}>"
    return f"{head} BODY[{body[1] or ''}]{where} {{{len(content)}}}\r\n".encode() + content + b")\r\n"


def fields(raw: bytes, names: list[str]) -> bytes:
    lines = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return b"".join(line + b"\r\n" for line in lines if line.partition(b":")[0].decode().upper() in names) + b"\r\n"
