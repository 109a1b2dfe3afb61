"""A server that speaks IMAP as Gmail does (X-GM-EXT-1, IDLE, CONDSTORE, ESEARCH, MOVE, UIDPLUS, SPECIAL-USE; no QRESYNC)."""

import asyncio
import re
from base64 import b64decode
from collections.abc import Callable, Iterable
from datetime import UTC
from typing import Self

from contracts import uidset
from services.mail.imap import names, parse
from tests.support.dovecot import BASE_DATE, User
from tests.support.gmail_store import ALL, SPAM, SYSTEM, TRASH, Gmail, Mailbox, Message, label_of, message_id

CAPABILITIES = (
    b"IMAP4rev1 UNSELECT IDLE NAMESPACE ID CHILDREN X-GM-EXT-1 UIDPLUS ENABLE MOVE CONDSTORE ESEARCH LIST-EXTENDED"
    b" LIST-STATUS LITERAL- SPECIAL-USE SASL-IR AUTH=PLAIN AUTH=XOAUTH2"
)
LITERAL = re.compile(rb"\{(\d+)(\+?)\}\r\n$")


class GmailServer(Gmail):
    """One account. Tests change mail by the methods here, which every connection hears of; `heard` has each command."""

    def __init__(self, user: User | None = None) -> None:
        super().__init__()
        self.user = user or User("alice@gmail.test", "alice-pw")
        self.port = 0
        self.heard: list[bytes] = []
        self._clients: set[Client] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()
        while self._clients:
            await asyncio.sleep(0.01)

    def cut(self) -> None:
        """Ends every connection without a word."""
        for client in self._clients:
            client.writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(self, reader, writer)
        self._clients.add(client)
        self.listeners.add(client.news)
        try:
            await client.converse()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            self.listeners.discard(client.news)
            self._clients.discard(client)
            writer.transport.abort()


class Client:
    def __init__(self, server: GmailServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.reader = reader
        self.writer = writer
        self.news = asyncio.Event()
        self.tag = b""
        self.authenticated = False
        self.mailbox: Mailbox | None = None
        self.view: list[int] = []  # UIDs by sequence number, as this client was told
        self.told = 0  # the MODSEQ up to which it knows

    async def converse(self) -> None:
        self.say(b"* OK Gimap ready")
        while command := await self._read():
            self.server.heard.append(b" ".join(command))
            self.tag, _, rest = command[0].partition(b" ")
            verb, _, _ = rest.partition(b" ")
            if verb.upper() == b"UID":
                verb = b"_".join(rest.split(b" ")[:2])
            arguments = parse.values([rest[len(verb) :], *command[1:]])
            run: Callable[..., object] | None = getattr(self, f"do_{verb.decode('latin-1').lower()}", None)
            if run is None or not (self.authenticated or verb.upper() in OPEN):
                self.done(b"BAD Unknown command")
                continue
            try:
                result = run(*arguments)
                if asyncio.iscoroutine(result):
                    await result
            except KeyError:
                self.done(b"NO [NONEXISTENT] Unknown Mailbox (Failure)")
            if verb.upper() == b"LOGOUT":
                return

    async def _read(self) -> list[bytes]:
        """A line, a literal, a line, …; nothing when the client is gone."""
        segments: list[bytes] = []
        while line := await self.reader.readline():
            literal = LITERAL.search(line)
            segments.append(line.removesuffix(b"\r\n"))
            if literal is None:
                return segments
            if not literal[2]:
                self.say(b"+ go ahead")
            segments.append(await self.reader.readexactly(int(literal[1])))
        return []

    def say(self, line: bytes) -> None:
        self.writer.write(line + b"\r\n")

    def done(self, status: bytes = b"OK Success") -> None:
        self.tell()
        self.say(self.tag + b" " + status)

    def tell(self) -> None:
        """What has happened in the selected mailbox since this client was told (RFC 3501 §7.3)."""
        mailbox = self.mailbox
        self.news.clear()
        if mailbox is None:
            return
        for index in range(len(self.view) - 1, -1, -1):
            if self.view[index] not in mailbox.held:
                del self.view[index]
                self.say(b"* %d EXPUNGE" % (index + 1))
        if fresh := [uid for uid in mailbox.held if not self.view or uid > self.view[-1]]:
            self.view += fresh
            self.say(b"* %d EXISTS" % len(self.view))
        for uid, message in mailbox.held.items():
            if message.modseq > self.told and uid not in fresh:
                self.say(b"* %d FETCH (%b)" % (self.view.index(uid) + 1, self.items(uid, ["UID", "FLAGS", "MODSEQ"])))
        self.told = max(self.told, mailbox.modseq)

    # -- before the login

    def do_capability(self) -> None:
        self.say(b"* CAPABILITY " + CAPABILITIES)
        self.done()

    def do_noop(self) -> None:
        self.done()

    def do_logout(self) -> None:
        self.say(b"* BYE LOGOUT Requested")
        self.done()

    def do_login(self, user: parse.Value, password: parse.Value) -> None:
        self._enter(parse.string(user), parse.string(password))

    def do_authenticate(self, mechanism: str, initial: str) -> None:
        decoded = b64decode(initial)
        if mechanism.upper() == "XOAUTH2":
            user, token = re.findall(rb"user=([^\1]*)\1auth=Bearer ([^\1]*)\1".replace(rb"\1", b"\x01"), decoded)[0]
            self._enter(user, token)
        else:
            self._enter(*decoded.split(b"\0")[1:])

    def _enter(self, user: bytes, secret: bytes) -> None:
        self.authenticated = (user, secret) == (self.server.user.name.encode(), self.server.user.password.encode())
        if self.authenticated:
            self.done(b"OK [CAPABILITY " + CAPABILITIES + b"] authenticated (Success)")
        else:
            self.done(b"NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)")

    def do_id(self, *_: parse.Value) -> None:
        self.say(b'* ID ("name" "GImap")')
        self.done()

    def do_enable(self, *wanted: str) -> None:
        self.say(b"* ENABLED " + b" ".join(word.encode() for word in wanted if word.upper() == "CONDSTORE"))
        self.done()

    def do_namespace(self) -> None:
        self.say(b'* NAMESPACE (("" "/")) NIL NIL')
        self.done()

    # -- mailboxes

    def do_list(self, _: parse.Value, pattern: parse.Value, *options: parse.Value) -> None:
        only = names.decode(parse.string(pattern))
        for path, mailbox in self.server.mailboxes.items():
            if only in ("*", path):
                attributes = SYSTEM[path][1] if path in SYSTEM else b"\\HasNoChildren"
                self.say(b'* LIST (%b) "/" %b' % (attributes, quoted(path)))
                if "STATUS" in str(options):
                    self._status(mailbox)
        if only in ("*", "[Gmail]"):
            self.say(b'* LIST (\\HasChildren \\Noselect) "/" "[Gmail]"')
        self.done()

    def do_status(self, path: parse.Value, _: parse.Value) -> None:
        self._status(self._mailbox(path))
        self.done()

    def _status(self, mailbox: Mailbox) -> None:
        numbers = (len(mailbox.held), mailbox.uidnext, mailbox.uidvalidity, mailbox.modseq)
        items = b"MESSAGES %d UIDNEXT %d UIDVALIDITY %d HIGHESTMODSEQ %d" % numbers
        self.say(b"* STATUS %b (%b)" % (quoted(mailbox.path), items))

    def do_select(self, path: parse.Value, *_: parse.Value) -> None:
        self.mailbox = None
        mailbox = self._mailbox(path)
        self.view, self.told, self.mailbox = list(mailbox.held), mailbox.modseq, mailbox
        self.say(b"* %d EXISTS" % len(self.view))
        self.say(b"* OK [UIDVALIDITY %d] UIDs valid" % mailbox.uidvalidity)
        self.say(b"* OK [UIDNEXT %d] Predicted next UID" % mailbox.uidnext)
        self.say(b"* OK [HIGHESTMODSEQ %d]" % mailbox.modseq)
        self.done(b"OK [READ-WRITE] selected (Success)")

    do_examine = do_select

    def do_create(self, path: parse.Value) -> None:
        label = names.decode(parse.string(path))
        if label in self.server.mailboxes:
            self.done(b"NO [ALREADYEXISTS] Duplicate folder name (Failure)")
        else:
            self.server.create(label)
            self.done()

    def do_subscribe(self, path: parse.Value) -> None:
        self.done()

    def _mailbox(self, path: parse.Value) -> Mailbox:
        return self.server.mailboxes[names.decode(parse.string(path))]

    # -- messages

    def chosen(self, uids: parse.Value) -> list[tuple[int, Message]]:
        mailbox = self.selected
        text = parse.atom(uids).replace("*", str(max(mailbox.held, default=1)))
        spans = uidset.ranges(text)
        return [item for item in mailbox.held.items() if any(low <= item[0] <= high for low, high in spans)]

    @property
    def selected(self) -> Mailbox:
        assert self.mailbox is not None
        return self.mailbox

    def do_uid_search(self, *criteria: parse.Value) -> None:
        extended = criteria[:1] == ("RETURN",)
        match criteria[2:] if extended else criteria:
            case ("ALL",):
                found = list(self.selected.held)
            case ("UID", uids):
                found = [uid for uid, _ in self.chosen(uids)]
            case ("HEADER", _, value):
                wanted = parse.string(value)
                found = [uid for uid, held in self.selected.held.items() if wanted in message_id(held.raw)]
            case _:
                return self.done(b"BAD Could not parse command")
        if extended:
            every = b" ALL " + uidset.compact(found).encode() if found else b""
            self.say(b'* ESEARCH (TAG "%b") UID%b' % (self.tag, every))
        else:
            self.say(b"* SEARCH " + b" ".join(b"%d" % uid for uid in found))
        return self.done()

    def do_uid_fetch(self, uids: parse.Value, wanted: parse.Value, modifiers: parse.Value = None) -> None:
        since = parse.number(modifiers[1]) if isinstance(modifiers, list) else 0
        items = parse.atoms(wanted) + (["MODSEQ"] if since else [])
        self.tell()
        number = {uid: position for position, uid in enumerate(self.view, 1)}
        for uid, message in self.chosen(uids):
            if message.modseq > since:
                self.say(b"* %d FETCH (%b)" % (number[uid], self.items(uid, items)))
        self.done()

    def items(self, uid: int, wanted: Iterable[str]) -> bytes:
        mailbox, message = self.selected, self.selected.held[uid]
        flags = {*message.flags, *(("\\Deleted",) if uid in mailbox.deleted else ())}
        shown = sorted(message.labels - {label_of(mailbox.path)})  # a mailbox does not show its own label
        labels = b" ".join(label.encode() if label.startswith("\\") else quoted(label) for label in shown)
        told = {
            "UID": b"%d" % uid,
            "FLAGS": b"(" + " ".join(sorted(flags)).encode() + b")",
            "INTERNALDATE": message.date.astimezone(UTC).strftime('"%d-%b-%Y %H:%M:%S +0000"').encode(),
            "RFC822.SIZE": b"%d" % len(message.raw),
            "MODSEQ": b"(%d)" % message.modseq,
            "X-GM-MSGID": b"%d" % message.msgid,
            "X-GM-THRID": b"%d" % message.thrid,
            "X-GM-LABELS": b"(" + labels + b")",
        }
        return b" ".join(
            item.encode() + b" " + told[item] if item in told else section(item, message.raw)
            for item in dict.fromkeys(map(str.upper, wanted))
        )

    def do_uid_store(self, uids: parse.Value, how: str, values: parse.Value) -> None:
        given = {names.decode(parse.string(value)) for value in values} if isinstance(values, list) else set()
        sign, item = how[0], how[1:].upper().removesuffix(".SILENT")
        add, remove = (given, set()) if sign == "+" else (set(), given)
        for uid, message in self.chosen(uids):
            if item == "X-GM-LABELS":
                self.server.change(message, add=add, remove=remove)
                continue
            if "\\Deleted" in given:
                (self.selected.deleted.add if sign == "+" else self.selected.deleted.discard)(uid)
            self.server.flag(message, add=add - {"\\Deleted"}, remove=remove)
        self.done()

    def do_uid_copy(self, uids: parse.Value, path: parse.Value) -> None:
        self._file(self.chosen(uids), self._mailbox(path), b"")

    def do_uid_move(self, uids: parse.Value, path: parse.Value) -> None:
        self._file(self.chosen(uids), self._mailbox(path), label_of(self.selected.path).encode())

    def _file(self, chosen: list[tuple[int, Message]], target: Mailbox, leaves: bytes) -> None:
        place = target.path if target.path in (SPAM, TRASH) else ALL
        placed: list[tuple[int, int]] = []
        for uid, message in chosen:
            add = {label_of(target.path)} - {""}
            self.server.change(message, add=add, remove={leaves.decode()} - add, place=place)
            placed.append((uid, target.uid(message) or 0))
        code = b""
        if placed:
            old, new = (b",".join(b"%d" % pair[side] for pair in placed) for side in (0, 1))
            code = b"[COPYUID %d %b %b] " % (target.uidvalidity, old, new)
        self.done(b"OK " + code + b"(Success)")

    def do_uid_expunge(self, uids: parse.Value) -> None:
        """For ever from Spam and Trash; elsewhere it only takes the label away, and nothing in All Mail."""
        mailbox = self.selected
        for uid, message in self.chosen(uids):
            if uid not in mailbox.deleted:
                continue
            if mailbox.path in (SPAM, TRASH):
                self.server.expunge(message)
            else:
                mailbox.deleted.discard(uid)
                self.server.change(message, remove=(label_of(mailbox.path),))
        self.done()

    def do_append(self, path: parse.Value, *rest: parse.Value) -> None:
        mailbox, raw = self._mailbox(path), parse.string(rest[-1])
        flags = parse.atoms(rest[0]) if isinstance(rest[0], list) else []
        place = mailbox.path if mailbox.path in (SPAM, TRASH) else ALL
        date = parse.internal_date(rest[-2]) if len(rest) > 1 else BASE_DATE
        message = self.server.deliver(raw, label_of(mailbox.path) or "\\Important", flags=flags, place=place, date=date)
        self.done(b"OK [APPENDUID %d %d] (Success)" % (mailbox.uidvalidity, mailbox.uid(message) or 0))

    async def do_idle(self) -> None:
        self.say(b"+ idling")
        reading = asyncio.create_task(self.reader.readline())
        while not reading.done():
            self.tell()
            waiting = asyncio.create_task(self.news.wait())
            await asyncio.wait((reading, waiting), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        self.done()


OPEN = (b"CAPABILITY", b"LOGIN", b"AUTHENTICATE", b"NOOP", b"LOGOUT", b"ID")


def quoted(path: str) -> bytes:
    return b'"' + names.encode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def section(item: str, raw: bytes) -> bytes:
    """`BODY.PEEK[…]` and `BODY.PEEK[]<offset.length>`, as a literal."""
    name, _, partial = item.replace(".PEEK", "").partition("<")
    if "HEADER.FIELDS" in name:
        wanted = name.partition("(")[2].rstrip(")]").encode().lower().split()
        fields = re.findall(rb"(?m)^[^\s:]+:.*(?:\r?\n[ \t].*)*\r?\n", raw.partition(b"\r\n\r\n")[0] + b"\r\n")
        raw = b"".join(line for line in fields if line.partition(b":")[0].lower() in wanted) + b"\r\n"
    if partial:
        offset, length = map(int, partial.rstrip(">").split("."))
        name, raw = f"{name}<{offset}>", raw[offset : offset + length]
    return b"%b {%d}\r\n%b" % (name.encode(), len(raw), raw)
