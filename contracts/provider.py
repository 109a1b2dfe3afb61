"""What the product asks of a mail server, whatever its protocol (§5.1, interface version 3).

Reading and writing are two protocols, because two processes use them. Nothing above this module imports an IMAP or
SMTP library. UIDs are those of RFC 3501 §2.3.1.1 and mean something only together with a mailbox's UIDVALIDITY.
Mailbox names are Unicode paths as people read them; the implementation owns their encoding on the wire.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from contracts.facts import SpecialUse

VERSION = 3

ErrorCode = Literal[
    "auth_failed",  # the server refused these credentials; asking again with the same ones is pointless
    "app_password_needed",  # it said that it wants a password made for programs, not the owner's own
    "access_off",  # it said that the owner has to switch IMAP or SMTP on there
    "grant_lost",  # its provider ended what the owner had granted by signing in there, or may have
    "login_disabled",  # it takes no password here, or none without TLS
    "tls_failed",  # certificate, handshake, or no TLS where TLS was asked for
    "unknown_host",
    "private_address",  # its name leads into a network that the operator has not allowed
    "connect_timeout",
    "refused",  # nobody listens on that port
    "too_many_connections",  # RFC 5530 LIMIT: back off, the password may well be right
    "unavailable",  # temporary trouble on the server's side; try later
    "connection_lost",  # the connection ended in the middle of something
    "timeout",  # connected, then silent for too long
    "protocol",  # the server said what the protocol does not allow
    "not_supported",
    "mailbox_missing",  # no such mailbox, or it cannot be selected
    "uidvalidity_changed",  # every UID known for this mailbox is void
    "no_permission",
    "over_quota",
    "rejected",  # the server refused this one command for a reason of its own
]


class ProviderError(Exception):
    """The base of all that a provider raises. `detail` is for people: the server's own words where it said any.

    `detail` never holds a secret, and no server's text is trusted beyond 300 printable characters.
    """

    def __init__(self, code: ErrorCode, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class ProviderAuthError(ProviderError):
    """`auth_failed`, `app_password_needed`, `access_off`, `grant_lost`, `login_disabled`: only the account's owner can
    help.
    """


class ProviderConnectError(ProviderError):
    """No usable connection, or one that ended: `tls_failed`, `unknown_host`, `private_address`, `connect_timeout`,
    `refused`, `too_many_connections`, `unavailable`, `connection_lost`, `timeout`. Trying again later may help.
    """


class ProviderProtocolError(ProviderError):
    """`protocol`: the server and we do not understand each other; its connection is closed."""


class ProviderNotSupported(ProviderError):
    """`not_supported`: this server can't do that; the caller has another way (polling instead of waiting)."""


class MailboxError(ProviderError):
    """One mailbox or command was refused, the account is fine: `mailbox_missing`, `uidvalidity_changed`,
    `no_permission`, `over_quota`, `rejected`.
    """


class MailboxStatus(Struct, frozen=True, kw_only=True):
    """A mailbox at one moment. `highestmodseq` is None where the server keeps none (RFC 7162 §3.1.2)."""

    uidvalidity: int
    uidnext: int  # lower bound of every UID to come
    messages: int
    highestmodseq: int | None = None


class RemoteMailbox(Struct, frozen=True, kw_only=True):
    """A name in the server's tree. `status` is None for a name that is no mailbox, and when the server told none."""

    path: str
    delimiter: str | None  # None: the names are flat
    selectable: bool
    special_use: SpecialUse | None
    status: MailboxStatus | None
    guessed: bool = False  # special_use is only what the name suggests
    remote_id: str = ""  # RFC 8474 §4 MAILBOXID: the same after a rename


class RemoteMessage(Struct, frozen=True, kw_only=True):
    r"""One message as the server holds it.

    `raw` is the RFC 5322 message byte for byte, or a file of it when it is larger than the provider was told to hold
    in memory. The file belongs to the receiver, who moves or removes it. `size` is the number of bytes in `raw`.
    `flags` hold system flags in RFC 3501's spelling (`\Seen`), keywords in the server's (`$Forwarded`), and no `\Recent`,
    which is about the session.
    """

    uid: int
    raw: bytes | Path
    size: int
    flags: frozenset[str]
    internal_date: datetime  # aware, UTC; the epoch when the server gave none that can be read
    modseq: int | None = None
    email_id: str | None = None  # RFC 8474 EMAILID, X-GM-MSGID
    thread_id: str | None = None  # RFC 8474 THREADID, X-GM-THRID
    labels: frozenset[str] | None = None  # X-GM-LABELS, as Unicode paths; system labels as `\Inbox`


class Listed(Struct, frozen=True, kw_only=True):
    """What can be said of a message without its content, to recognise one that is known.

    `evidence` is `ids.evidence` of the header's bytes; None when the server did not give them. `size` is RFC822.SIZE, a
    hint on some servers.
    """

    uid: int
    flags: frozenset[str]
    internal_date: datetime
    size: int
    evidence: str | None
    modseq: int | None = None
    email_id: str | None = None
    thread_id: str | None = None
    labels: frozenset[str] | None = None


class Batch(Struct, frozen=True, kw_only=True):
    """Some messages of a mailbox, in the order in which they were asked for.

    `missing` are UIDs asked for that are not there any more: expunged meanwhile. `unreadable` are UIDs that are there,
    but whose content the server refuses to give.
    `floor` is the lowest UID this batch accounts for. In a backfill everything from `floor` upwards is told once the
    batch is, so `below=floor` resumes after it; the last batch of a backfill has `floor` 1.
    """

    uidvalidity: int
    floor: int
    messages: tuple[RemoteMessage, ...]
    missing: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()


class FlagChange(Struct, frozen=True, kw_only=True):
    """The flags that a message has now, all of them; and its labels, where the server has labels."""

    uid: int
    flags: frozenset[str]
    modseq: int | None = None
    labels: frozenset[str] | None = None


class Seen(Struct, frozen=True, kw_only=True):
    """How far the caller knows a mailbox: what one poll returned as `status`, or a mark that stands for it."""

    uidvalidity: int
    high_uid: int  # the highest UID told so far; 0 for none
    highestmodseq: int | None = None


class MailboxDelta(Struct, frozen=True, kw_only=True):
    """What one poll saw since `Seen`.

    When `status.uidvalidity` is not the one asked about, `reset` is true and there is nothing else in here: the caller
    starts a new generation. `new_uids` ascend, are below `status.uidnext`, and are fetched by `fetch`. `flag_changes`
    and `expunged` may name UIDs that the caller never knew, and may repeat what it knows already (its own changes come
    back too). `expunged` is a UID set (`contracts.uidset`) of UIDs up to the highest one asked about; a range in it may
    span many that never existed.
    `status.highestmodseq` is the one to store: it was read before the changes were asked for.
    """

    status: MailboxStatus
    reset: bool = False
    new_uids: tuple[int, ...] = ()
    flag_changes: tuple[FlagChange, ...] = ()
    expunged: str = ""


class KnownMessages(Protocol):
    """The caller's memory of a mailbox, asked only where the server keeps no record of changes itself."""

    async def flags(self, mailbox: str, uidvalidity: int) -> Mapping[int, frozenset[str]]:
        """Every UID told and not expunged since, with the flags last told."""


class Quota(Struct, frozen=True, kw_only=True):
    """`used` of `limit` bytes of the account's room on its server are taken; more than all may be."""

    used: int
    limit: int


class MailSource(Protocol):
    """Reading a user's mail. One instance serves one account and opens at most one connection, which its calls share in turn.

    Every method raises `ProviderError`. After any error or cancellation the instance is usable: it connects anew.
    """

    @property
    def labelled(self) -> bool:
        """Whether the server files a mail once and shows it under labels (X-GM-EXT-1); known after the first listing."""

    async def verify(self) -> None:
        """Connects, logs in and lists, and says by its error what is wrong; leaves no connection behind."""

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        """All names that the server shows this user, with their status, by path and INBOX first."""

    async def quota(self) -> Quota | None:
        """None where the server does not count, or does not say."""

    async def status(self, mailbox: str) -> MailboxStatus:
        """The mailbox now. `mailbox_missing` if there is none."""

    def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        """Everything with a UID lower than `below` (None: everything), newest first, headers and body in one pass.

        At most `batch_size` messages a batch and about 8 MB, or one larger message. Always ends with a batch whose
        `floor` is 1. Raises `uidvalidity_changed` instead of mixing two numberings. Polling may go on between batches.
        """

    def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        """These messages, in ascending order, in batches as `backfill` makes them."""

    def listing(self, mailbox: str, *, uidvalidity: int, batch_size: int = 1000) -> AsyncIterator[Sequence[Listed]]:
        """Everything in a mailbox without its content, in ascending order. Raises `uidvalidity_changed`."""

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        """The mailbox now, and the UIDs that it held at that moment as a UID set. Raises `uidvalidity_changed`."""

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        """One look at what changed. RFC 7162 where the server has it, else a comparison with `KnownMessages`."""

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        """Returns when the mailbox may no longer be as in `status`; never returns for silence alone (RFC 2177).

        Says nothing of what changed: poll. Other calls wait until it returns, which leaves the connection ready for them.
        `not_supported` where the server has no IDLE.
        """

    async def close(self) -> None:
        """Ends its connection. The instance may be used again."""


class Placed(Struct, frozen=True, kw_only=True):
    """Where a message went (RFC 4315 COPYUID, APPENDUID). `uid` None: done, but nobody can say under which."""

    uidvalidity: int | None
    uid: int | None


class FlagsPushed(Struct, frozen=True, kw_only=True):
    """The flags a message has after a change; None when the server didn't tell. `modseq` as in RFC 7162 §3.1.3."""

    flags: frozenset[str] | None
    modseq: int | None = None


class Refusal(Struct, frozen=True, kw_only=True):
    """Why a recipient was refused: the SMTP reply code and the server's words (RFC 5321 §4.2)."""

    code: int
    text: str


class RecipientsRefused(MailboxError):
    """`rejected`: the server took none of a message's recipients. `refused` maps each of them to the reason."""

    def __init__(self, refused: Mapping[str, Refusal]) -> None:
        super().__init__("rejected", next((refusal.text for refusal in refused.values()), "no recipients"))
        self.refused = refused


class MailWriter(Protocol):
    """Changing a user's mail. Every method raises `ProviderError`; a cancelled call may have happened.

    UIDs come many at a time, since one at a time is what makes a move of a thousand slow. What is not in the mailbox any
    more is missing from the answer, which is no error.
    """

    async def push_flags(
        self, mailbox: str, uids: Sequence[int], *, uidvalidity: int, add: frozenset[str], remove: frozenset[str]
    ) -> Mapping[int, FlagsPushed]:
        """Adds and removes, never replaces: flags that others set meanwhile stay. Idempotent."""

    async def push_labels(
        self, mailbox: str, uids: Sequence[int], *, uidvalidity: int, add: frozenset[str], remove: frozenset[str]
    ) -> Sequence[int]:
        """The same for labels (X-GM-LABELS): those that have them now. `not_supported` where the server has none."""

    async def move(self, uids: Sequence[int], *, uidvalidity: int, source: str, target: str) -> Mapping[int, Placed]:
        """Moves messages (RFC 6851), by copy and expunge where the server can't. The new UIDs are never guessed."""

    async def delete(self, mailbox: str, uids: Sequence[int], *, uidvalidity: int) -> Sequence[int]:
        """Removes messages for ever, and no others: those that are gone now."""

    async def append(self, mailbox: str, raw: bytes, *, flags: frozenset[str], date: datetime) -> Placed:
        """Uploads a message with CRLF line ends and no NUL; `date` is aware and becomes its internal date."""

    async def find(self, mailbox: str, message_id: str) -> tuple[MailboxStatus, Sequence[int]]:
        """The mailbox now, and the UIDs of its messages with this Message-ID (`<…>`)."""

    async def create(self, mailbox: str) -> MailboxStatus:
        """Makes a mailbox, and subscribes to it (RFC 3501 §6.3.3); one that is there already is fine. The mailbox now."""

    async def close(self) -> None:
        """Ends its connections. The instance may be used again."""


class MailSubmission(Protocol):
    """Sending one message of a user's mail (RFC 6409), over a connection of its own, in two steps.

    Between them the caller writes down that it goes on: only after the second may a message have been sent. Both raise
    `ProviderError` when certainly nothing was sent: a `ProviderConnectError` for what may pass, `MailboxError` for what will
    not. A recipient's or content's refusal by a code of 4xx is `unavailable`, by one of 5xx `rejected` (RFC 5321 §4.2.1).
    """

    async def envelope(self, raw: bytes, *, envelope_from: str, envelope_to: Sequence[str]) -> Mapping[str, Refusal]:
        """Connects, logs in, and names sender and recipients; those that the server refused, by address.

        Its Bcc header is not sent. Raises `RecipientsRefused` when all of them were.
        """

    async def content(self) -> Literal["accepted", "unconfirmed"]:
        """Sends the message to those who were not refused.

        `unconfirmed`: the connection ended, or the server was silent, after it asked for the content. It may have accepted
        it, so it is never sent again without asking; and so it is when this is cancelled.
        """
