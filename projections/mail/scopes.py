"""The lists that mail stands in, each with an id: a mailbox's, an account's, the user's own (unified inbox), or a special one's."""

from uuid import UUID

from contracts import ids
from contracts.facts import MailboxFound, SpecialUse
from projections.mail.errors import UnknownView

SPECIAL = ("sent", "drafts", "archive", "junk", "trash", "starred", "all")

DISCARDED = (SpecialUse.TRASH, SpecialUse.JUNK)


def special(user_id: UUID, name: str) -> UUID:
    """The list of all accounts' mail of one kind, a name of SPECIAL."""
    return ids.named(user_id, f"scope:{name}")


def of(mailbox: MailboxFound) -> list[UUID]:
    """Where what lies in a mailbox is listed. Trash and Junk show only in their own lists."""
    user, use = mailbox.user_id, mailbox.special_use
    found = [mailbox.mailbox_id]
    if use not in DISCARDED:
        found += [mailbox.account_id, special(user, "all")]
    if use is SpecialUse.INBOX:
        found.append(user)
    elif use is not None and use is not SpecialUse.ALL:
        found.append(special(user, use.value))
    return found


def view(user_id: UUID, name: str) -> UUID:
    """The list that a reader asks for: `unified`, `account:<id>`, `mailbox:<id>` or `special:<name>`. Raises UnknownView."""
    kind, _, what = name.partition(":")
    if name == "unified":
        return user_id
    if kind == "special" and what in SPECIAL:
        return special(user_id, what)
    if kind in ("account", "mailbox"):
        try:
            return UUID(what)
        except ValueError:
            raise UnknownView(f"{kind}:<id> wants an id") from None
    raise UnknownView("no such view: unified, account:<id>, mailbox:<id>, special:<name>")
