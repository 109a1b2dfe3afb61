"""CREATE and SUBSCRIBE (RFC 3501 §6.3.3, §6.3.6): a mailbox that other programs show too."""

from contextlib import suppress

from contracts.provider import MailboxError, MailboxStatus
from services.mail.imap import parse
from services.mail.imap.list import read_list
from services.mail.imap.select import examine
from services.mail.imap.session import Session


async def create(session: Session, mailbox: str) -> MailboxStatus:
    """The path is the whole of it, with the prefix of a server that keeps everything below INBOX."""
    try:
        await session.command("CREATE", session.name(mailbox))
    except MailboxError:
        if not await _is_there(session, mailbox):
            raise
    with suppress(MailboxError):  # a server without subscriptions has made it nonetheless
        await session.command("SUBSCRIBE", session.name(mailbox))
    return await examine(session, mailbox)


async def _is_there(session: Session, mailbox: str) -> bool:
    answer = await session.command("LIST", b'""', session.name(mailbox))
    listed = [reply for reply in answer.replies if parse.head(reply)[1] == "LIST"]
    return any(read_list(parse.untagged(reply).values, utf8=session.utf8)[0] == mailbox for reply in listed)
