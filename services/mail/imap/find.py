"""Finding a message by its Message-ID (RFC 5322 §3.6.4), exactly: a search by itself matches parts of words."""

from collections.abc import Iterable

from contracts.provider import MailboxError, MailboxStatus
from services.mail.imap import fetch, sets
from services.mail.imap.names import astring
from services.mail.imap.search import search
from services.mail.imap.select import examine, select
from services.mail.imap.session import Session
from services.mail.imap.status import status
from services.parsing.evidence import fields

ITEMS = b"(UID BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"


async def find(session: Session, mailbox: str, message_id: str) -> tuple[MailboxStatus, list[int]]:
    opened = await select(session, mailbox)
    wanted = message_id.encode()
    charset = () if session.utf8 or message_id.isascii() else (b"CHARSET UTF-8",)
    found = await search(session, *charset, b"HEADER Message-ID", astring(wanted, utf8=session.utf8))
    known = await message_ids(session, found)
    return opened, [uid for uid in found if known.get(uid) == wanted]


async def message_ids(session: Session, uids: Iterable[int]) -> dict[int, bytes]:
    """Of those that are there; empty for a message that has none."""
    found: dict[int, bytes] = {}
    for portion in sets.portions(uids):
        found |= await _told(session, sets.text(portion))
    return found


async def noted(session: Session, mailbox: str) -> MailboxStatus | None:
    """Where a mailbox stands before something is put into it; None when the server will not say."""
    try:
        return (await status(session, mailbox))[0]
    except MailboxError:
        return None


async def come_since(session: Session, mailbox: str, before: MailboxStatus | None) -> dict[int, bytes]:
    """Message-IDs of what has come into a mailbox since `before`; nothing when that can't be told. Opens the mailbox."""
    if before is None:
        return {}
    now = await examine(session, mailbox)
    if now.uidvalidity != before.uidvalidity or now.uidnext <= before.uidnext or not now.messages:
        return {}
    told = await _told(session, b"%d:%d" % (before.uidnext, now.uidnext - 1))
    return {uid: message_id for uid, message_id in told.items() if uid >= before.uidnext}


async def _told(session: Session, uids: bytes) -> dict[int, bytes]:
    answer = await session.command("UID FETCH", uids, ITEMS)
    return {
        uid: fields(header).get(b"message-id", b"")
        for uid, items in fetch.by_uid(answer).items()
        for name, header in items.items()
        if name.startswith("BODY[HEADER.FIELDS") and isinstance(header, bytes)
    }
