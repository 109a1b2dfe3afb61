"""What the account pages send and show."""

from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from contracts.facts import AccountState, SpecialUse
from services.gateway.identities.structs import Identity
from services.gateway.sync.structs import SyncJob
from services.state.accounts import Auth, Tls


class Server(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`ssl`: TLS from the first byte; `starttls`: before the password; `none`: only for this machine itself."""

    host: str
    port: int
    tls: Tls
    username: str
    password: str

    def __repr__(self) -> str:
        return "Server(…)"


class NewAccount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`color`: `#rrggbb`, or null for one of ours. `smtp`: null when mail is only to be read."""

    email: str
    display_name: str
    imap: Server
    smtp: Server | None
    color: str | None = None


class Reconnect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The account's servers, changed or not, with the password: kept ones are never tried at other servers."""

    imap: Server
    smtp: Server | None


class AccountChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays. `color`: `#rrggbb`. `paused`: the server is left alone, and everything stays readable."""

    display_name: str | UnsetType = UNSET
    color: str | UnsetType = UNSET
    paused: bool | UnsetType = UNSET


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that are readable, of those that the server has."""

    synced: int
    total: int


class Mailbox(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: the last piece of `path`. `unread` and `total` count threads."""

    id: UUID
    path: str
    name: str
    delimiter: str | None
    special_use: SpecialUse | None
    selectable: bool
    unread: int
    total: int


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """`held` of `on_server` messages are here, by the oldest comparison of its mailboxes; `equal`: in every one, and exactly.

    `repaired`: placements that comparisons ever made right, the last of them at `repaired_at`.
    """

    held: int
    on_server: int
    checked_at: datetime
    equal: bool
    repaired: int
    repaired_at: datetime | None


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """`used` of `limit` bytes of the room on the server are taken, as it said last; more than all may be."""

    used: int
    limit: int


class SpecialUses(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The user's own choice of mailboxes, for servers that don't say what theirs are for. Left out: stays; null: none."""

    archive: UUID | UnsetType | None = UNSET
    drafts: UUID | UnsetType | None = UNSET
    junk: UUID | UnsetType | None = UNSET
    sent: UUID | UnsetType | None = UNSET
    trash: UUID | UnsetType | None = UNSET


class MailServer(msgspec.Struct, frozen=True, kw_only=True):
    """Where an account's mail is, and what it is entered with."""

    host: str
    port: int
    tls: Tls
    username: str
    auth: Auth


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """`unread`: threads of its inbox. `state_code`: why, when it is an error. `special_uses`: the user's own choice.

    `smtp`: null when mail is only read. `paused`: its server is left alone; `state` follows in a moment.
    `identities`: whom its mail may be from, the default one first.
    `quota`: null where the server does not say. `proof`: null until the mail is compared with the server. `jobs`: null while
    nobody knows them.
    """

    id: UUID
    email: str
    display_name: str
    color: str
    imap: MailServer
    smtp: MailServer | None
    paused: bool
    state: AccountState
    state_code: str | None
    state_detail: str
    progress: Progress
    unread: int
    last_sync_at: datetime | None
    mailboxes: list[Mailbox]
    special_uses: dict[SpecialUse, UUID]
    identities: list[Identity]
    quota: Quota | None
    proof: Proof | None
    jobs: list[SyncJob] | None


class AccountList(msgspec.Struct, frozen=True, kw_only=True):
    """In the order in which they were added."""

    accounts: list[Account]
