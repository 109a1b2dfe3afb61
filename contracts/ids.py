"""Deterministic ids: a fact names a thing by an id that anyone can compute again from what the fact saw."""

from hashlib import sha1, sha256
from uuid import UUID

_BITS = 2**128 - 1 - (0xF000 << 64) - (0xC000 << 48)  # all but those of the version and the variant
_VERSION_5 = (5 << 76) | (0x8000 << 48)


def named(namespace: UUID, name: str) -> UUID:
    """The UUID of a name, version 5 (RFC 9562 §5.5); the standard library's takes half as long again."""
    digest = sha1(namespace.bytes + name.encode(), usedforsecurity=False).digest()
    return UUID(int=int.from_bytes(digest[:16], "big") & _BITS | _VERSION_5)


def partition(user_id: UUID, partitions: int) -> int:
    """The partition that holds all facts of a user, so that one projector sees them in order."""
    return user_id.int % partitions


def mailbox_id(account_id: UUID, path: str, uidvalidity: int) -> UUID:
    """Minted from the path and UIDVALIDITY at first sight; `mailbox.found` keeps it through renames."""
    return named(account_id, f"mailbox:{uidvalidity}:{path}")


def message_id(account_id: UUID, raw_sha256: str) -> UUID:
    """The identity of a message known by its bytes; `raw_sha256` is lower-case hex."""
    return named(account_id, f"sha256:{raw_sha256}")


def message_id_by_email_id(account_id: UUID, email_id: str) -> UUID:
    """The identity of a message whose server says it: OBJECTID's EMAILID (RFC 8474 §5.1) or X-GM-MSGID."""
    return named(account_id, f"emailid:{email_id}")


def message_id_by_place(account_id: UUID, mailbox: UUID, uidvalidity: int, uid: int) -> UUID:
    """The identity of a message that can't be read: only its place tells it apart."""
    return named(account_id, f"place:{mailbox}:{uidvalidity}:{uid}")


def thread_id(user_id: UUID, first_message: UUID) -> UUID:
    """A thread is named after the message that opened it in log order."""
    return named(user_id, f"thread:{first_message}")


def attachment_id(message: UUID, index: int) -> UUID:
    """An attachment is named by its message and the index of its part in the document."""
    return named(message, f"part:{index}")


def thread_ref(user_id: UUID, message_id_header: str) -> UUID:
    """The key of one Message-ID (RFC 5322 §3.6.4, normalised) in the index of ids that a user's mail mentions."""
    return named(user_id, f"ref:{message_id_header}")


def evidence(message_id_header: bytes, date: bytes, from_: bytes) -> str:
    """32 hex digits over the raw header bytes, so that a new generation is matched without downloads (design §2)."""
    return sha256(b"\n".join((message_id_header, date, from_))).hexdigest()[:32]
