"""What a mailbox holds without any content: enough to recognise messages that are known."""

from collections.abc import Sequence

from contracts.provider import Listed, MailboxStatus
from services.mail.imap import errors, fetch, flags, parse, sets
from services.mail.imap.search import search
from services.mail.imap.select import ensure
from services.mail.imap.session import Session
from services.parsing.evidence import evidence

FIELDS = b" RFC822.SIZE BODY.PEEK[HEADER.FIELDS (MESSAGE-ID DATE FROM)]"
LOOKS = 3


async def listed(session: Session, status: MailboxStatus, uids: Sequence[int]) -> list[Listed]:
    """These messages, ascending; those expunged meanwhile are left out. `uids` are all that the mailbox has in that range."""
    answer = await fetch.ask(session, status, f"{uids[0]}:{uids[-1]}", FIELDS)
    if answer.status.kind != "OK":
        raise errors.refused(answer.status, "UID FETCH")
    wanted = set(uids)
    return [
        _listed(session, uid, items)
        for uid, items in sorted(fetch.by_uid(answer).items())
        if uid in wanted and "FLAGS" in items
    ]


async def held(session: Session, mailbox: str, uidvalidity: int) -> tuple[MailboxStatus, str]:
    """The mailbox and its UIDs at one moment: looked at again when it changed between the two questions."""
    for _ in range(LOOKS):
        status = await ensure(session, mailbox, uidvalidity, anew=True)
        found = await search(session, b"UID 1:%d" % max(1, status.uidnext - 1))
        if len(found) == status.messages:
            break
    return status, sets.joined((uid, uid) for uid in found if uid < status.uidnext)


def _listed(session: Session, uid: int, items: fetch.Items) -> Listed:
    header = next((value for name, value in items.items() if name.startswith("BODY[HEADER.FIELDS")), None)
    size = items.get("RFC822.SIZE")
    return Listed(
        uid=uid,
        flags=flags.read(items["FLAGS"]),
        internal_date=parse.internal_date(items.get("INTERNALDATE")),
        size=0 if size is None else parse.number(size),
        evidence=evidence(header) if isinstance(header, bytes) else None,
        modseq=fetch.modseq(items),
        email_id=fetch.email_id(items),
        thread_id=fetch.thread_id(items),
        labels=fetch.labels(session, items),
    )
