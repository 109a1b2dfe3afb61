"""LIST (RFC 3501 §6.3.8): the user's own mailboxes, what they are for, and their status, in one command where possible."""

from dataclasses import dataclass

from contracts.provider import MailboxError, MailboxStatus, ProviderProtocolError, RemoteMailbox
from services.mail.imap import errors, parse, special_use
from services.mail.imap.names import decode
from services.mail.imap.namespace import own_names
from services.mail.imap.session import Session
from services.mail.imap.status import Told, asks_ids_apart, items, read_status, remote_id, status

# RFC 3501 §7.2.2 and RFC 5258 §3: names in the tree that are no mailboxes.
UNSELECTABLE = frozenset({"\\noselect", "\\nonexistent"})
EVERYTHING = b'"" "*"'


@dataclass
class Name:
    """What the server told of one name."""

    delimiter: str | None
    attributes: frozenset[str]
    status: MailboxStatus | None = None
    remote_id: str = ""

    @property
    def selectable(self) -> bool:
        return not _lowered(self.attributes) & UNSELECTABLE


async def list_mailboxes(session: Session) -> list[RemoteMailbox]:
    """By path, INBOX first."""
    found = await _names(session)
    uses = special_use.assign(
        (path, name.delimiter, name.attributes) for path, name in found.items() if name.selectable
    )
    return [
        RemoteMailbox(
            path=path,
            delimiter=name.delimiter,
            selectable=name.selectable,
            special_use=uses.get(path),
            guessed=special_use.guessed(name.attributes, uses.get(path)),
            status=name.status,
            remote_id=name.remote_id,
        )
        for path, name in sorted(found.items(), key=lambda item: (item[0] != "INBOX", item[0]))
    ]


async def _names(session: Session) -> dict[str, Name]:
    if session.can("LIST-EXTENDED") and (session.can("LIST-STATUS") or session.can("SPECIAL-USE")):
        return await session.using("LIST-EXTENDED", lambda: _extended(session), lambda: _plain(session))
    return await _plain(session)


async def _extended(session: Session) -> dict[str, Name]:
    """With what each is for (RFC 6154 §5.1) and, where it works, STATUS (RFC 5819)."""
    uses = b"SPECIAL-USE" if session.can("SPECIAL-USE") else b""
    if session.can("LIST-STATUS"):
        return await session.using(
            "LIST-STATUS", lambda: _with_status(session, uses), lambda: _asked(session, "LIST", _returning(uses))
        )
    return await _asked(session, "LIST", _returning(uses))


async def _with_status(session: Session, uses: bytes) -> dict[str, Name]:
    """The server may leave out some (RFC 5819 §2), but not all."""
    found = await _gathered(session, "LIST", EVERYTHING, _returning(uses, b"STATUS " + items(session)))
    if any(name.selectable for name in found.values()) and not any(name.status for name in found.values()):
        raise errors.protocol("no status of any mailbox")
    if asks_ids_apart(session):
        for path, name in found.items():
            if name.selectable:
                name.remote_id = await remote_id(session, path)
    return found


async def _plain(session: Session) -> dict[str, Name]:
    return await _asked(session, "XLIST" if session.can("XLIST") and not session.can("SPECIAL-USE") else "LIST")


async def _asked(session: Session, verb: str, *options: bytes) -> dict[str, Name]:
    """With a STATUS for each. One that is gone since, not ours to see, or tells nonsense, is listed without."""
    found = await _gathered(session, verb, EVERYTHING, *options)
    for path, name in found.items():
        if name.selectable:
            try:
                name.status, name.remote_id = await status(session, path)
            except (MailboxError, ProviderProtocolError):
                if session.closed:
                    raise
    return found


def _returning(*options: bytes) -> bytes:
    return b"RETURN (" + b" ".join(filter(None, options)) + b")"


async def _gathered(session: Session, verb: str, *arguments: bytes) -> dict[str, Name]:
    own = await own_names(session)
    answer = await session.command(verb, *arguments)
    found: dict[str, Name] = {}
    told: dict[str, Told] = {}
    for reply in answer.replies:
        match parse.head(reply)[1]:
            case "LIST" | "XLIST":
                path, delimiter, attributes = read_list(parse.untagged(reply).values, utf8=session.utf8)
                if own(path):
                    found.setdefault(path, Name(delimiter, attributes))
            case "STATUS":
                path, numbers = read_status(parse.untagged(reply).values, utf8=session.utf8)
                told[path] = numbers
    for path in found.keys() & told.keys():
        found[path].status, found[path].remote_id = told[path]
    return found


def read_list(values: list[parse.Value], *, utf8: bool = False) -> tuple[str, str | None, frozenset[str]]:
    r"""Path, delimiter and attributes; extended items (RFC 5258) are passed over. XLIST's \Inbox is INBOX."""
    if len(values) < 3:
        raise errors.protocol("a LIST reply without a name")
    attributes = frozenset(parse.atoms(values[0]))
    delimiter = None if values[1] is None else parse.string(values[1]).decode("latin-1")
    if delimiter is not None and (len(delimiter) != 1 or not "!" <= delimiter <= "~"):
        delimiter = None  # RFC 3501 §9: one character, QUOTED-CHAR
    path = "INBOX" if "\\inbox" in _lowered(attributes) else decode(parse.string(values[2]), utf8=utf8)
    return path, delimiter, attributes


def _lowered(attributes: frozenset[str]) -> frozenset[str]:
    return frozenset(attribute.lower() for attribute in attributes)
