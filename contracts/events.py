"""The event catalog of §8.3, verbatim: announcements to browsers and plugins. The UI refetches what the ids name.

Every payload carries `user_id` and `position`: the sequence of the fact in the user's partition that the announced change
includes (0 where no fact stands behind it).
"""

from uuid import UUID

import msgspec

from contracts.facts import AccountState


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """What all events have."""

    user_id: UUID
    position: int = 0


class MessageNew(Event, frozen=True, kw_only=True, tag="message.new"):
    """A message is shown for the first time."""

    account_id: UUID
    mailbox_id: UUID
    message_id: UUID
    thread_id: UUID


class MessageChanged(Event, frozen=True, kw_only=True, tag="message.changed"):
    """Its content, placement or thread changed."""

    account_id: UUID
    message_id: UUID
    thread_id: UUID


class MessageDeleted(Event, frozen=True, kw_only=True, tag="message.deleted"):
    """No placement holds it any more."""

    account_id: UUID
    message_id: UUID
    thread_id: UUID


class MessageSent(Event, frozen=True, kw_only=True, tag="message.sent"):
    """The submission server took it."""

    account_id: UUID
    outbox_id: UUID


class FlagsChangedEvent(Event, frozen=True, kw_only=True, tag="flags.changed"):
    """Flags of these messages changed, by whomever."""

    account_id: UUID
    message_ids: list[UUID]
    thread_ids: list[UUID]


class ThreadUpdated(Event, frozen=True, kw_only=True, tag="thread.updated"):
    """A row of the thread list is stale, or gone (merged into another)."""

    thread_id: UUID


class SyncProgress(Event, frozen=True, kw_only=True, tag="sync.progress"):
    """`synced` of `total` messages of one mailbox are readable."""

    account_id: UUID
    mailbox_id: UUID
    synced: int
    total: int


class AccountStateChangedEvent(Event, frozen=True, kw_only=True, tag="account.state_changed"):
    """The account's state; `code` says why when it is an error."""

    account_id: UUID
    state: AccountState
    code: str


class DraftSaved(Event, frozen=True, kw_only=True, tag="draft.saved"):
    """A draft has a new revision."""

    draft_id: UUID
    revision: int


class OutboxStateChanged(Event, frozen=True, kw_only=True, tag="outbox.state_changed"):
    """A send was queued, cancelled, attempted, delivered, or failed."""

    account_id: UUID
    outbox_id: UUID
    state: str


class UserActive(Event, frozen=True, kw_only=True, tag="user.active"):
    """A login or a socket; consumed by sync for its tiers, not forwarded to browsers."""


CATALOG: tuple[type[Event], ...] = (
    MessageNew,
    MessageChanged,
    MessageDeleted,
    MessageSent,
    FlagsChangedEvent,
    ThreadUpdated,
    SyncProgress,
    AccountStateChangedEvent,
    DraftSaved,
    OutboxStateChanged,
    UserActive,
)

BROWSER: tuple[type[Event], ...] = tuple(event for event in CATALOG if event is not UserActive)


def name(event: Event | type[Event]) -> str:
    """The event's name in the catalog: its tag."""
    tag = event.__struct_config__.tag
    assert isinstance(tag, str)  # noqa: S101 - every event of the catalog has an explicit tag
    return tag
