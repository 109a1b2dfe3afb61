"""UID STORE of X-GM-LABELS: Gmail's labels, which are mailboxes to everybody else."""

import re
from collections.abc import Sequence

from contracts.provider import MailboxError
from services.mail.imap import errors, fetch, sets
from services.mail.imap.session import Session

SYSTEM = re.compile(r"\\[A-Za-z]{1,30}")


async def push_labels(session: Session, uids: Sequence[int], add: frozenset[str], remove: frozenset[str]) -> list[int]:
    r"""Those that have them now. A message that a label takes out of the mailbox (`\Trash`) is not among them."""
    if not session.labelled:
        raise errors.not_supported("the server has no labels")
    done: list[int] = []
    for portion in sets.portions(uids):
        for how, labels in ((b"+X-GM-LABELS.SILENT", add), (b"-X-GM-LABELS.SILENT", remove)):
            if labels:
                await session.command("UID STORE", sets.text(portion), how, _list(session, labels))
        answer = await session.command("UID FETCH", sets.text(portion), b"(UID X-GM-LABELS)")
        told = fetch.by_uid(answer)
        for uid in portion:
            now = fetch.labels(session, told.get(uid, {}))
            if now is not None and add <= now and not remove & now:
                done.append(uid)
    return done


def _list(session: Session, labels: frozenset[str]) -> bytes:
    written: list[bytes] = []
    for label in sorted(labels):
        name = label.encode("ascii") if SYSTEM.fullmatch(label) else session.name(label)
        if not isinstance(name, bytes):
            raise MailboxError("rejected", "not a name that a label can have")
        written.append(name)
    return b"(" + b" ".join(written) + b")"
