"""EXAMINE (RFC 3501 §6.3.2) for reading, so that messages stay recent for whoever uses them; SELECT (§6.3.1) for changing."""

from collections.abc import Awaitable, Callable

from contracts.provider import MailboxError, MailboxStatus, ProviderConnectError
from services.mail.imap import errors, parse
from services.mail.imap.framer import Reply
from services.mail.imap.session import Session
from services.mail.imap.wire import Answer

Opening = Callable[[Session, str], Awaitable[MailboxStatus]]


async def examine(session: Session, mailbox: str) -> MailboxStatus:
    """Opens it anew and tells how it is now."""
    return await _open(session, "EXAMINE", mailbox)


async def select(session: Session, mailbox: str) -> MailboxStatus:
    return await _open(session, "SELECT", mailbox)


async def ensure(
    session: Session, mailbox: str, uidvalidity: int, *, anew: bool = False, opening: Opening = examine
) -> MailboxStatus:
    """The mailbox is open and numbered as the caller thinks.

    A mailbox opened a while ago may not show what has come since: `anew` is for whoever wants to know all that is there.
    """
    if not anew and session.selected is not None and session.selected[0] == mailbox:
        status = session.selected[1]
    else:
        status = await opening(session, mailbox)
    if status.uidvalidity != uidvalidity:
        raise MailboxError("uidvalidity_changed", "the server has numbered this mailbox anew")
    return status


async def _open(session: Session, verb: str, mailbox: str) -> MailboxStatus:
    session.selected = None  # a refusal leaves no mailbox selected
    session.changed = False
    answer = await _asked(session, verb, mailbox)
    if answer.status.kind != "OK":
        error = errors.refused(answer.status, verb)
        if isinstance(error, ProviderConnectError) or error.code != "rejected":
            raise error
        raise MailboxError("mailbox_missing", error.detail)
    status = read_opened(answer.replies)
    if not status.uidnext:
        status = await _with_uidnext(session, status)
    session.selected = (mailbox, status)
    return status


async def _asked(session: Session, verb: str, mailbox: str) -> Answer:
    if session.condstore and not session.enabled & {"CONDSTORE", "QRESYNC"}:
        answer = await session.wire.execute(verb, session.name(mailbox), b"(CONDSTORE)")
        if answer.status.kind != "BAD":
            return answer
        session.broken.add("CONDSTORE")
    return await session.wire.execute(verb, session.name(mailbox))


def read_opened(replies: list[Reply]) -> MailboxStatus:
    messages = 0
    codes: dict[str, int] = {}
    for reply in replies:
        number, name, _ = parse.head(reply)
        if name == "EXISTS" and number is not None:
            messages = number
        elif name == "OK":
            status = parse.status(reply[0][2:])
            if status.code in ("UIDVALIDITY", "UIDNEXT", "HIGHESTMODSEQ"):
                codes[status.code] = parse.number(status.argument.decode("latin-1"))
    if "UIDVALIDITY" not in codes:
        raise errors.not_supported("the server gives its messages no lasting numbers")  # RFC 3501 §6.3.1
    return MailboxStatus(
        uidvalidity=codes["UIDVALIDITY"],
        uidnext=codes.get("UIDNEXT", 0),
        messages=messages,
        highestmodseq=codes.get("HIGHESTMODSEQ") or None,
    )


async def _with_uidnext(session: Session, status: MailboxStatus) -> MailboxStatus:
    """For servers that leave UIDNEXT out, as RFC 3501 §6.3.1 allows: one more than the last message's."""
    uidnext = 1
    if status.messages:
        answer = await session.command("FETCH", b"* (UID)")
        for reply in answer.replies:
            _, name, rest = parse.head(reply)
            if name == "FETCH":
                uidnext = max(uidnext, parse.uid(parse.fetched(reply, rest).get("UID")) + 1)
    return MailboxStatus(
        uidvalidity=status.uidvalidity,
        uidnext=uidnext,
        messages=status.messages,
        highestmodseq=status.highestmodseq,
    )
