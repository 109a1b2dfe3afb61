"""NAMESPACE (RFC 2342): which names are the user's own, and which are other people's or everybody's."""

from collections.abc import Callable

from contracts.provider import MailboxError, ProviderProtocolError
from services.mail.imap import errors, parse
from services.mail.imap.session import Session


async def own_names(session: Session) -> Callable[[str], bool]:
    """Tells whether a name is this account's own; asked of the server once a connection."""
    if session.foreign is None:
        session.foreign = await _foreign(session) if session.can("NAMESPACE") else ()
    foreign = session.foreign
    return lambda path: path == "INBOX" or not any(_below(path, prefix) for prefix in foreign)


async def _foreign(session: Session) -> tuple[str, ...]:
    """Prefixes of others' and shared names. A server that tells nonsense has none."""
    try:
        answer = await session.command("NAMESPACE")
        for reply in answer.replies:
            if parse.head(reply)[1] == "NAMESPACE":
                told = [_prefixes(session, value) for value in parse.untagged(reply).values[:3]]
                others = {prefix for prefixes in told[1:] for prefix in prefixes if prefix}
                return tuple(others.difference(*told[:1]))
    except (MailboxError, ProviderProtocolError):
        if session.closed:
            raise
    return ()


def _prefixes(session: Session, namespaces: parse.Value) -> list[str]:
    r"""`NIL` or `(("INBOX." ".") ("#mh/" "/"))`; extensions after the delimiter are passed over."""
    if namespaces is None:
        return []
    if not isinstance(namespaces, list):
        raise errors.protocol("a NAMESPACE reply without lists")
    return [session.path(one[0]) for one in namespaces if isinstance(one, list) and one]


def _below(path: str, prefix: str) -> bool:
    """`Other Users/` holds `Other Users/bob`, and is itself the name `Other Users`."""
    return path.startswith(prefix) or path == prefix[:-1]
