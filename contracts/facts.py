"""Facts: what a mail server said or what somebody asked, in the past tense, immutable, without any mail content.

Every fact stands on one subject of `contracts.subjects`; `codec` turns it into JSON with its explicit tag. A new optional
field needs no new version; any other change is a new tag, an upcast in `retired` and a golden file.
"""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Literal
from uuid import UUID

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """What all facts have: whose they are, and when the writer saw it (UTC). Folds know no other clock."""

    user_id: UUID
    account_id: UUID
    at: datetime


class AccountState(StrEnum):
    """What sync says of an account as a whole."""

    CONNECTING = "connecting"
    BACKFILLING = "backfilling"
    LIVE = "live"
    ERROR = "error"
    RECONNECT_REQUIRED = "reconnect_required"
    DISABLED = "disabled"


class SpecialUse(StrEnum):
    """What a mailbox is for (RFC 6154 §2; INBOX of RFC 9051 §5.1)."""

    ALL = "all"
    INBOX = "inbox"
    SENT = "sent"
    DRAFTS = "drafts"
    TRASH = "trash"
    JUNK = "junk"
    ARCHIVE = "archive"


# -- account: written by the gateway, the tombstone by the eraser


class AccountConnected(Fact, frozen=True, kw_only=True, tag="account.connected"):
    """A user added a mail account; its settings and sealed secret are in plain tables."""


class AccountChanged(Fact, frozen=True, kw_only=True, tag="account.changed"):
    """Settings of the account changed; `fields` names them, never their values."""

    fields: list[str]


class AccountRemoved(Fact, frozen=True, kw_only=True, tag="account.removed"):
    """The user removed the account: it is shown no more; erasure follows."""


class AccountErased(Fact, frozen=True, kw_only=True, tag="account.erased"):
    """The tombstone after a purge. Whatever comes later for the account is ignored."""


# -- sync.lease, sync.account


class LeaseTaken(Fact, frozen=True, kw_only=True, tag="lease.taken"):
    """A sync worker owns the account from here on; every earlier epoch is refused by the fence."""

    epoch: int
    worker: str


class AccountStateChanged(Fact, frozen=True, kw_only=True, tag="account.state_changed"):
    """`code` is a provider error code or empty; `retry_at` when sync tries again by itself."""

    epoch: int
    state: AccountState
    code: str = ""
    retry_at: datetime | None = None


# -- sync.<mailbox>


class MailboxFound(Fact, frozen=True, kw_only=True, tag="mailbox.found"):
    """A mailbox was listed for the first time, or again with another path or use: the id stays.

    `remote_id`: what the server calls it through renames (RFC 8474 §4 MAILBOXID), else empty.
    """

    mailbox_id: UUID
    path: str
    delimiter: str | None = None
    special_use: SpecialUse | None = None
    selectable: bool = True
    remote_id: str = ""


class MailboxLost(Fact, frozen=True, kw_only=True, tag="mailbox.lost"):
    """The server lists the mailbox no more; its placements are gone with it."""

    mailbox_id: UUID


class GenerationOpened(Fact, frozen=True, kw_only=True, tag="generation.opened"):
    """A listing under one UIDVALIDITY begins. A mailbox's first is shown while it fills, later ones when committed.

    `uidnext`: UIDs from here on are arrivals, not part of the backfill. `messages`: EXISTS at opening.
    """

    mailbox_id: UUID
    generation: int
    uidvalidity: int
    uidnext: int
    messages: int


class GenerationCommitted(Fact, frozen=True, kw_only=True, tag="generation.committed"):
    """The listing is complete and is what is shown."""

    mailbox_id: UUID
    generation: int


class GenerationAbandoned(Fact, frozen=True, kw_only=True, tag="generation.abandoned"):
    """The listing will never be completed; the one before it stays shown."""

    mailbox_id: UUID
    generation: int
    reason: str


class MessageArrived(Fact, frozen=True, kw_only=True, tag="message.arrived"):
    """A placement of a message was seen.

    `blob`: SHA-256 (hex) of the raw bytes, in the blob store before the fact. `size`: their number. `internal_date`: UTC.
    `evidence`: `ids.evidence`. `unreadable`: why the parser gave the blob up, else empty. `email_id`: what the server
    calls it (EMAILID, X-GM-MSGID), `remote_thread`: and its conversation (THREADID, X-GM-THRID). Where a server files a
    mail once and shows it under labels (X-GM-EXT-1), `mailbox_id` is the label's and `uid` the one in its All Mail.
    `modseq`: of its flags, 0 without CONDSTORE; then `as_of`, as of `FlagsChanged`: 0 has seen no outcome.
    """

    mailbox_id: UUID
    generation: int
    uid: int
    message_id: UUID
    blob: str
    size: int
    internal_date: datetime
    evidence: str
    flags: list[str] = []
    modseq: int = 0
    unreadable: str = ""
    email_id: str = ""
    remote_thread: str = ""
    as_of: int = 0


class ContentChanged(Fact, frozen=True, kw_only=True, tag="message.content_changed"):
    """The server serves other bytes for a message that it says is the same."""

    message_id: UUID
    blob: str
    size: int
    evidence: str


class FlagGroup(msgspec.Struct, frozen=True, kw_only=True):
    """`uids` (an RFC 9051 sequence-set of UIDs, without `*`) now have exactly `flags`."""

    uids: str
    flags: list[str]


class FlagsChanged(Fact, frozen=True, kw_only=True, tag="flags.changed"):
    """What one poll found of one mailbox. `modseq`: the highest the server named for these changes, 0 without CONDSTORE.

    `as_of`: the last sequence of the account's `outcome` subject when the poll began; an older observation does not
    override a later outcome.
    """

    mailbox_id: UUID
    generation: int
    groups: list[FlagGroup]
    modseq: int = 0
    as_of: int = 0


class MessagesExpunged(Fact, frozen=True, kw_only=True, tag="messages.expunged"):
    """Placements are gone. `uids`: a UID set, at most 64 kB."""

    mailbox_id: UUID
    generation: int
    uids: str


class DriftRepaired(Fact, frozen=True, kw_only=True, tag="drift.repaired"):
    """An audit found the server and the log apart; the facts beside this one in its batch make them equal again.

    So many placements were `missing` from the log, `surplus` in it, or had other `flags`.
    """

    mailbox_id: UUID
    generation: int
    missing: int = 0
    surplus: int = 0
    flags: int = 0


# -- sync.<mailbox>.mark, in the same batch as the facts that it stands for


class MailboxMarked(Fact, frozen=True, kw_only=True, tag="mailbox.marked"):
    """How far one mailbox is synced: the last one on its subject is the sync cursor.

    `high_uid`: all arrivals up to here are in the log. `floor_uid`: the backfill, newest first, has everything from here
    to `backfill_from` (exclusive). `done`: the backfill is complete. `highestmodseq`: as read at SELECT (RFC 7162), 0
    without. `modseq_before`: the same when the backfill began. `outcomes_seen`: sequence of the last outcome that the
    observation includes. `synced` of `total`: for progress. `batch`: the batch's id, to recognise an ambiguous commit.
    `job` and `chunk`: the sync job that this was done for, and how many chunks of it are in the log with this one.
    """

    mailbox_id: UUID
    generation: int
    epoch: int
    batch: str
    uidvalidity: int
    high_uid: int
    backfill_from: int
    floor_uid: int
    done: bool
    synced: int
    total: int
    highestmodseq: int = 0
    modseq_before: int = 0
    outcomes_seen: int = 0
    job: str = ""
    chunk: int = 0


# -- request: written by gateway, plugins, rules


class FlagsRequested(Fact, frozen=True, kw_only=True, tag="flags.requested"):
    """Add and remove flags on messages. `by`: `user`, `rule:<id>`, `plugin:<name>`, or `undo:<request>` that it takes back."""

    request_id: UUID
    message_ids: list[UUID]
    add: list[str] = []
    remove: list[str] = []
    by: str = "user"


class MoveRequested(Fact, frozen=True, kw_only=True, tag="move.requested"):
    """Move the placements that messages have in `source` (null: wherever they are shown) to `target`."""

    request_id: UUID
    message_ids: list[UUID]
    target: UUID
    source: UUID | None = None
    by: str = "user"


class DeleteRequested(Fact, frozen=True, kw_only=True, tag="delete.requested"):
    """Remove messages for ever from `mailbox_id`."""

    request_id: UUID
    message_ids: list[UUID]
    mailbox_id: UUID
    by: str = "user"


# -- outcome: written by outbound


class Applied(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one placement: its flags afterwards, or where it was copied (RFC 4315 COPYUID; 0: unknown).

    `uid` 0: no placement was taken away; the message is in `moved_to` now.
    """

    message_id: UUID
    mailbox_id: UUID
    generation: int
    uid: int
    flags: list[str] | None = None
    modseq: int = 0
    moved_to: UUID | None = None
    copy_uidvalidity: int = 0
    copy_uid: int = 0


class RequestApplied(Fact, frozen=True, kw_only=True, tag="request.applied"):
    """The server did it."""

    request_id: UUID
    results: list[Applied]


class RequestRefused(Fact, frozen=True, kw_only=True, tag="request.refused"):
    """The server, or we, would not do it; what was shown rolls back with this reason."""

    request_id: UUID
    code: str


class RequestExpired(Fact, frozen=True, kw_only=True, tag="request.expired"):
    """Nothing became of it in time, by outbound's clock."""

    request_id: UUID


# -- send.<outbox id>: compare-and-set on its own subject


class SendQueued(Fact, frozen=True, kw_only=True, tag="send.queued"):
    """A draft is to be sent at `due`, unless it is cancelled before. `revision`: which of its contents."""

    outbox_id: UUID
    draft_id: UUID
    due: datetime
    revision: int = 0


class SendEdited(Fact, frozen=True, kw_only=True, tag="send.edited"):
    """The time or the draft's revision changed before sending."""

    outbox_id: UUID
    draft_id: UUID
    due: datetime
    revision: int = 0


class SendCancelled(Fact, frozen=True, kw_only=True, tag="send.cancelled"):
    """The user took it back in time."""

    outbox_id: UUID


class SendAttempted(Fact, frozen=True, kw_only=True, tag="send.attempted"):
    """Outbound is about to hand the content over (RFC 5321 DATA): from here on it can't be cancelled."""

    outbox_id: UUID
    attempt: int


class SendDelivered(Fact, frozen=True, kw_only=True, tag="send.delivered"):
    """The submission server took it. `refused`: how many recipients it did not take."""

    outbox_id: UUID
    refused: int = 0


class SendFailed(Fact, frozen=True, kw_only=True, tag="send.failed"):
    """It was not sent; the draft is kept."""

    outbox_id: UUID
    code: str


class SendUnconfirmed(Fact, frozen=True, kw_only=True, tag="send.unconfirmed"):
    """The connection broke after DATA: nobody knows; never resent by itself."""

    outbox_id: UUID


class SendFiled(Fact, frozen=True, kw_only=True, tag="send.filed"):
    """What follows a delivery is done: its copy in Sent, the answered message's flag, the draft's end.

    `copy`: `appended` by us, `found` as the server filed it, or `none` where there is nowhere to file it.
    """

    outbox_id: UUID
    copy: Literal["appended", "found", "none"]


class Catalog:
    """All facts, by the part of the account's subjects on which they may stand."""

    ACCOUNT: ClassVar[tuple[type[Fact], ...]] = (AccountConnected, AccountChanged, AccountRemoved, AccountErased)
    LEASE: ClassVar[tuple[type[Fact], ...]] = (LeaseTaken,)
    STATE: ClassVar[tuple[type[Fact], ...]] = (AccountStateChanged,)
    MAILBOX: ClassVar[tuple[type[Fact], ...]] = (
        MailboxFound,
        MailboxLost,
        GenerationOpened,
        GenerationCommitted,
        GenerationAbandoned,
        MessageArrived,
        ContentChanged,
        FlagsChanged,
        MessagesExpunged,
        DriftRepaired,
    )
    MARK: ClassVar[tuple[type[Fact], ...]] = (MailboxMarked,)
    REQUEST: ClassVar[tuple[type[Fact], ...]] = (FlagsRequested, MoveRequested, DeleteRequested)
    OUTCOME: ClassVar[tuple[type[Fact], ...]] = (RequestApplied, RequestRefused, RequestExpired)
    SEND: ClassVar[tuple[type[Fact], ...]] = (
        SendQueued,
        SendEdited,
        SendCancelled,
        SendAttempted,
        SendDelivered,
        SendFailed,
        SendUnconfirmed,
        SendFiled,
    )
    ALL: ClassVar[tuple[type[Fact], ...]] = (
        *ACCOUNT,
        *LEASE,
        *STATE,
        *MAILBOX,
        *MARK,
        *REQUEST,
        *OUTCOME,
        *SEND,
    )
