"""LIST (RFC 3501 §6.3.8): the user's mailboxes, what they are for, and their status, in one command where possible."""

from contracts.provider import MailboxError, MailboxStatus, RemoteMailbox
from services.mail.imap import errors, parse, special_use
from services.mail.imap.framer import Reply
from services.mail.imap.names import decode, wire_name
from services.mail.imap.session import Session

# RFC 3501 §7.2.2 and RFC 5258 §3: names in the tree that are no mailboxes.
UNSELECTABLE = frozenset({"\\noselect", "\\nonexistent"})


async def list_mailboxes(session: Session) -> list[RemoteMailbox]:
    """By path, INBOX first."""
    items = b"UIDVALIDITY UIDNEXT MESSAGES" + (b" HIGHESTMODSEQ" if session.condstore else b"")
    can = session.capabilities
    with_status = {"LIST-EXTENDED", "LIST-STATUS"} <= can
    wanted = [b"SPECIAL-USE"] if {"LIST-EXTENDED", "SPECIAL-USE"} <= can else []  # RFC 6154 §5.1
    wanted += [b"STATUS (" + items + b")"] if with_status else []  # RFC 5819
    if wanted:
        answer = await session.command("LIST", b'"" "*"', b"RETURN (" + b" ".join(wanted) + b")")
    elif "XLIST" in can and "SPECIAL-USE" not in can:
        answer = await session.command("XLIST", b'"" "*"')
    else:
        answer = await session.command("LIST", b'"" "*"')
    found: dict[str, tuple[str | None, frozenset[str]]] = {}
    statuses: dict[str, MailboxStatus] = {}
    for reply in answer.replies:
        _gather(reply, found, statuses)
    selectable = [path for path, (_, attributes) in found.items() if not _lowered(attributes) & UNSELECTABLE]
    for path in () if with_status else selectable:
        await _ask_status(session, path, items, statuses)
    uses = special_use.assign((path, *found[path]) for path in selectable)
    return [
        RemoteMailbox(
            path=path,
            delimiter=found[path][0],
            selectable=path in selectable,
            special_use=uses.get(path),
            status=statuses.get(path),
        )
        for path in sorted(found, key=lambda path: (path != "INBOX", path))
    ]


async def _ask_status(session: Session, path: str, items: bytes, statuses: dict[str, MailboxStatus]) -> None:
    try:
        answer = await session.command("STATUS", wire_name(path), b"(" + items + b")")
    except MailboxError:
        return  # gone since, or not ours to see: listed without status
    for reply in answer.replies:
        _gather(reply, {}, statuses)


def _gather(
    reply: Reply, found: dict[str, tuple[str | None, frozenset[str]]], statuses: dict[str, MailboxStatus]
) -> None:
    match parse.head(reply)[1]:
        case "LIST" | "XLIST":
            path, delimiter, attributes = read_list(parse.untagged(reply).values)
            found.setdefault(path, (delimiter, attributes))
        case "STATUS":
            path, status = read_status(parse.untagged(reply).values)
            if status is not None:
                statuses[path] = status


def read_list(values: list[parse.Value]) -> tuple[str, str | None, frozenset[str]]:
    r"""Path, delimiter and attributes; extended items (RFC 5258) are passed over. XLIST's \Inbox is INBOX."""
    if len(values) < 3:
        raise errors.protocol("a LIST reply without a name")
    attributes = frozenset(parse.atoms(values[0]))
    delimiter = None if values[1] is None else parse.string(values[1]).decode("latin-1")
    if delimiter is not None and (len(delimiter) != 1 or not "!" <= delimiter <= "~"):
        delimiter = None  # RFC 3501 §9: one character, QUOTED-CHAR
    path = "INBOX" if "\\inbox" in _lowered(attributes) else decode(parse.string(values[2]))
    return path, delimiter, attributes


def read_status(values: list[parse.Value]) -> tuple[str, MailboxStatus | None]:
    """None when what counts is missing. HIGHESTMODSEQ 0 is none (RFC 7162 §3.1.7)."""
    if len(values) != 2 or not isinstance(values[1], list):
        raise errors.protocol("a STATUS reply without a list")
    path = decode(parse.string(values[0]))
    names = [parse.atom(name).upper() for name in values[1][::2]]
    items = dict(zip(names, map(parse.number, values[1][1::2]), strict=False))
    if not {"UIDVALIDITY", "UIDNEXT", "MESSAGES"} <= items.keys():
        return path, None
    return path, MailboxStatus(
        uidvalidity=items["UIDVALIDITY"],
        uidnext=items["UIDNEXT"],
        messages=items["MESSAGES"],
        highestmodseq=items.get("HIGHESTMODSEQ") or None,
    )


def _lowered(attributes: frozenset[str]) -> frozenset[str]:
    return frozenset(attribute.lower() for attribute in attributes)
