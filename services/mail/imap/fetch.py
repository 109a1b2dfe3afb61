"""UID FETCH (RFC 3501 §6.4.5): whole messages in groups of bounded size, big ones piece by piece into a file."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from contracts import uidset
from contracts.provider import MailboxStatus, RemoteMessage
from services.mail.imap import errors, flags, parse
from services.mail.imap.search import search
from services.mail.imap.session import Session
from services.mail.imap.wire import Answer

GROUP_BYTES = 8 * 2**20
UNKNOWN_BYTES = GROUP_BYTES // 16  # a message whose size the server doesn't tell is taken to be so big
PIECE_BYTES = 2**20
MESSAGE_BYTES = 2**31  # no mail is bigger; a server that sends on for ever is stopped here
COMMAND_BYTES = 7000  # a command line of 8,192 bytes is what every server takes (RFC 7162 §4)

OBJECT_ID = re.compile(r"[A-Za-z0-9_-]{1,255}")

Items = dict[str, parse.Value]


class Fetched(Struct, frozen=True, kw_only=True):
    messages: tuple[RemoteMessage, ...]
    missing: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()


async def sizes(session: Session, uids: Sequence[int]) -> dict[int, int]:
    """RFC822.SIZE of those that are there, as far as the server tells: a hint, some only guess it."""
    found: dict[int, int] = {}
    for part in uidset.split(uids, COMMAND_BYTES):
        answer = await session.wire.execute("UID FETCH", part.encode(), b"(UID RFC822.SIZE)")
        for uid, items in by_uid(answer).items():
            if "RFC822.SIZE" in items:
                found[uid] = parse.number(items["RFC822.SIZE"])
    return found


def groups(uids: Sequence[int], size: Mapping[int, int], batch_size: int, stream_above: int) -> Iterator[list[int]]:
    """The same UIDs in the same order, in groups that fit into memory; one to be streamed is a group of its own."""
    group: list[int] = []
    total = 0
    for uid in uids:
        length = size.get(uid, UNKNOWN_BYTES)
        if group and (len(group) == batch_size or total + length > GROUP_BYTES or length > stream_above):
            yield group
            group, total = [], 0
        group.append(uid)
        total += length
        if length > stream_above:
            yield group
            group, total = [], 0
    if group:
        yield group


async def whole(session: Session, status: MailboxStatus, uids: Sequence[int], spool: Path) -> Fetched:
    """The messages of one group, in the order of `uids`. What the server does not give at once it may give in pieces."""
    found = await _bodies(session, status, uids)
    missing, there = await _explain(session, [uid for uid in uids if uid not in found])
    for uid in there:  # one that can't be read must not hide the others
        found |= await _bodies(session, status, [uid])
        if uid not in found:
            pieces = await streamed(session, status, uid, spool)
            found |= {message.uid: message for message in pieces.messages}
    return Fetched(
        messages=tuple(found[uid] for uid in uids if uid in found),
        missing=missing,
        unreadable=tuple(uid for uid in there if uid not in found),
    )


async def streamed(session: Session, status: MailboxStatus, uid: int, spool: Path) -> Fetched:
    """One big message into a file below `spool`, by partial fetches: memory stays at one piece."""
    answer = await ask(session, status, str(uid))
    items = by_uid(answer).get(uid)
    path = spool / f"{uuid4().hex}.eml"
    try:
        size = None if items is None else await _pieces(session, uid, path)
        if items is None or size is None:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            missing, unreadable = await _explain(session, [uid])
            return Fetched(messages=(), missing=missing, unreadable=unreadable)
        return Fetched(messages=(_message(session, uid, items, path, size),))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _pieces(session: Session, uid: int, path: Path) -> int | None:
    """Writes the content; its length, or None when the server doesn't give it."""
    length = 0
    while length < MESSAGE_BYTES:
        answer = await session.wire.execute(
            "UID FETCH", b"%d" % uid, b"(UID BODY.PEEK[]<%d.%d>)" % (length, PIECE_BYTES)
        )
        items = by_uid(answer).get(uid, {})
        piece = items.get(f"BODY[]<{length}>")
        if not isinstance(piece, bytes):
            return None
        if len(piece) > PIECE_BYTES:
            raise errors.protocol("more of a message than was asked for")
        await asyncio.to_thread(_append, path, piece)
        length += len(piece)
        if len(piece) < PIECE_BYTES:
            return length
    raise errors.protocol("a message without an end")


def _append(path: Path, piece: bytes) -> None:
    with path.open("ab") as file:
        file.write(piece)


async def _bodies(session: Session, status: MailboxStatus, uids: Sequence[int]) -> dict[int, RemoteMessage]:
    """What the server gives, also with a NO: some say so when a part was expunged (RFC 2180 §4.1.2)."""
    found: dict[int, RemoteMessage] = {}
    for part in uidset.split(uids, COMMAND_BYTES):
        answer = await ask(session, status, part, b" BODY.PEEK[]")
        if answer.status.kind == "BAD":
            raise errors.refused(answer.status, "UID FETCH")
        for uid, items in by_uid(answer).items():
            body = items.get("BODY[]")
            if isinstance(body, bytes):  # NIL: expunged meanwhile, not empty
                found[uid] = _message(session, uid, items, body, len(body))
    return found


async def _explain(session: Session, uids: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which of these are gone, and which are there though the server did not give them."""
    if not uids:
        return (), ()
    await session.command("NOOP")  # lets the server say what was expunged, so that the search doesn't find it
    there: set[int] = set()
    for part in uidset.split(uids, COMMAND_BYTES):
        there.update(await search(session, b"UID " + part.encode()))
    return tuple(uid for uid in uids if uid not in there), tuple(uid for uid in uids if uid in there)


def by_uid(answer: Answer) -> dict[int, Items]:
    """What a FETCH told of each message. Replies without a UID are the server's own news, not our answer."""
    found: dict[int, Items] = {}
    for reply in answer.replies:
        _, name, rest = parse.head(reply)
        if name == "FETCH":
            items = parse.fetched(reply, rest)
            if "UID" in items:
                found.setdefault(parse.uid(items["UID"]), {}).update(items)
    return found


async def ask(session: Session, status: MailboxStatus, uids: str, more: bytes = b"") -> Answer:
    """What every reading asks of a message, and more. The answer may be NO or BAD.

    BAD with extensions in the question and none without them is the extensions' fault, not the message's.
    """
    asked = uids.encode()
    answer = await session.wire.execute("UID FETCH", asked, _items(session, status, more))
    suspects = {extension for extension in ("CONDSTORE", "OBJECTID") if extension not in session.broken}
    if answer.status.kind == "BAD" and _items(session, status, more) != _items(session, status, more, without=suspects):
        plain = await session.wire.execute("UID FETCH", asked, _items(session, status, more, without=suspects))
        if plain.status.kind != "BAD":
            session.broken |= suspects
            return plain
    return answer


def _items(session: Session, status: MailboxStatus, more: bytes, without: Collection[str] = ()) -> bytes:
    items = b"UID FLAGS INTERNALDATE"
    if session.condstore and status.highestmodseq is not None and "CONDSTORE" not in without:
        items += b" MODSEQ"
    if session.can("OBJECTID") and "OBJECTID" not in without:
        items += b" EMAILID THREADID"
    if session.labelled:
        items += b" X-GM-MSGID X-GM-THRID X-GM-LABELS"
    return b"(" + items + more + b")"


def _message(session: Session, uid: int, items: Items, raw: bytes | Path, size: int) -> RemoteMessage:
    return RemoteMessage(
        uid=uid,
        raw=raw,
        size=size,
        flags=flags.read(items.get("FLAGS", [])),
        internal_date=parse.internal_date(items.get("INTERNALDATE")),
        modseq=modseq(items),
        email_id=email_id(items),
        thread_id=thread_id(items),
        labels=labels(session, items),
    )


def email_id(items: Items) -> str | None:
    return object_id(items.get("X-GM-MSGID")) or object_id(items.get("EMAILID"))


def thread_id(items: Items) -> str | None:
    return object_id(items.get("X-GM-THRID")) or object_id(items.get("THREADID"))


def labels(session: Session, items: Items) -> frozenset[str] | None:
    found = items.get("X-GM-LABELS")
    return frozenset(session.path(label) for label in found) if isinstance(found, list) else None


def modseq(items: Items) -> int | None:
    """RFC 7162 §3.1.5: `MODSEQ (n)`."""
    value = items.get("MODSEQ")
    return parse.number(value[0]) if isinstance(value, list) and value else None


def object_id(value: parse.Value) -> str | None:
    """An object id, alone or in parentheses (RFC 8474 §4, §5.3)."""
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, str) and OBJECT_ID.fullmatch(value) else None
