"""STATUS (RFC 3501 §6.3.10): a mailbox's numbers without opening it."""

from contracts.provider import MailboxStatus
from services.mail.imap import errors, parse
from services.mail.imap.fetch import object_id
from services.mail.imap.names import decode
from services.mail.imap.session import Session

Told = tuple[MailboxStatus | None, str]
"""The numbers, None when what counts is missing; and the mailbox's lasting id, if it has one (RFC 8474 §4)."""


async def status(session: Session, mailbox: str) -> Told:
    if session.can("OBJECTID"):
        return await session.using("OBJECTID", lambda: _ask(session, mailbox), lambda: _ask(session, mailbox))
    return await _ask(session, mailbox)


async def _ask(session: Session, mailbox: str) -> Told:
    answer = await session.command("STATUS", session.name(mailbox), items(session))
    for reply in answer.replies:
        if parse.head(reply)[1] == "STATUS":
            numbers, named = read_status(parse.untagged(reply).values, utf8=session.utf8)[1]
            return numbers, await remote_id(session, mailbox) if asks_ids_apart(session) else named
    return None, ""


def asks_ids_apart(session: Session) -> bool:
    """Beside other items Cyrus 3.6 gives memory that it has freed for MAILBOXID, line ends and all."""
    return session.cyrus and session.can("OBJECTID")


async def remote_id(session: Session, mailbox: str) -> str:
    """Nothing but the lasting id; empty for a mailbox that is gone."""
    answer = await session.wire.execute("STATUS", session.name(mailbox), b"(MAILBOXID)")
    for reply in answer.replies:
        if parse.head(reply)[1] == "STATUS":
            values = parse.untagged(reply).values[-1]
            return (object_id(values[1]) or "") if isinstance(values, list) and len(values) == 2 else ""
    return ""


def items(session: Session) -> bytes:
    more = b" HIGHESTMODSEQ" if session.condstore else b""
    more += b" MAILBOXID" if session.can("OBJECTID") and not session.cyrus else b""
    return b"(UIDVALIDITY UIDNEXT MESSAGES" + more + b")"


def read_status(values: list[parse.Value], *, utf8: bool = False) -> tuple[str, Told]:
    """HIGHESTMODSEQ 0 is none (RFC 7162 §3.1.7)."""
    if len(values) != 2 or not isinstance(values[1], list):
        raise errors.protocol("a STATUS reply without a list")
    path = decode(parse.string(values[0]), utf8=utf8)
    names = [parse.atom(name).upper() for name in values[1][::2]]
    told = dict(zip(names, values[1][1::2], strict=False))
    remote_id = object_id(told.pop("MAILBOXID", None)) or ""
    numbers = {name: parse.number(value) for name, value in told.items()}
    if not {"UIDVALIDITY", "UIDNEXT", "MESSAGES"} <= numbers.keys():
        return path, (None, remote_id)
    found = MailboxStatus(
        uidvalidity=numbers["UIDVALIDITY"],
        uidnext=numbers["UIDNEXT"],
        messages=numbers["MESSAGES"],
        highestmodseq=numbers.get("HIGHESTMODSEQ") or None,
    )
    return path, (found, remote_id)
