"""APPEND (RFC 3501 §6.3.11): uploads a message, and tells where it is (APPENDUID of RFC 4315 §3, else by its Message-ID)."""

import re
from datetime import UTC, datetime

from contracts.provider import MailboxError, Placed
from services.mail.imap import flags
from services.mail.imap.find import come_since, noted
from services.mail.imap.move import matched
from services.mail.imap.names import Literal
from services.mail.imap.session import Session
from services.parsing.evidence import fields

APPENDUID = re.compile(rb"(\d{1,10}) (\d{1,10})")
NOT_ALLOWED = re.compile(rb"\0|(?<!\r)\n|\r(?!\n)")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


async def append(session: Session, mailbox: str, raw: bytes, wanted: frozenset[str], date: datetime) -> Placed:
    """`mailbox_missing` asks for it to be made (TRYCREATE)."""
    if NOT_ALLOWED.search(raw) or not raw:
        raise MailboxError("rejected", "a message to upload has CRLF line ends and no NUL, and is not empty")
    if not all(map(flags.STORABLE.fullmatch, wanted)):
        raise MailboxError("rejected", "not a flag that a server can hold")
    before = await noted(session, mailbox)
    answer = await session.command(
        "APPEND", session.name(mailbox), flags.write(wanted), _date(date), _literal(session, raw)
    )
    told = APPENDUID.fullmatch(answer.status.argument) if answer.status.code == "APPENDUID" else None
    if told is not None:
        return Placed(uidvalidity=int(told[1]), uid=int(told[2]))
    come = await come_since(session, mailbox, before)
    message_id = fields(raw).get(b"message-id", b"")
    return Placed(
        uidvalidity=before.uidvalidity if before is not None else None, uid=matched({0: message_id}, come).get(0)
    )


def _literal(session: Session, raw: bytes) -> Literal:
    """RFC 6855 §4: a header of 8-bit characters is announced where the server speaks UTF-8."""
    header = raw.partition(b"\r\n\r\n")[0]
    if session.utf8 and not header.isascii():
        return Literal(raw, before=b"UTF8 (~", after=b")")
    return Literal(raw)


def _date(date: datetime) -> bytes:
    """RFC 3501 §9 date-time, in UTC and in English whatever the locale."""
    at = date.astimezone(UTC)
    return f'"{at.day:02}-{MONTHS[at.month - 1]}-{at.year:04} {at:%H:%M:%S} +0000"'.encode()
