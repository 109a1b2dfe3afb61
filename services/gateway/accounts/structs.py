"""What the account pages send and show."""

from datetime import datetime
from uuid import UUID

import msgspec

from contracts.facts import AccountState, SpecialUse
from services.state.accounts import Tls


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


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """`unread`: threads of its inbox. `state_code`: why, when it is an error."""

    id: UUID
    email: str
    display_name: str
    color: str
    state: AccountState
    state_code: str | None
    state_detail: str
    progress: Progress
    unread: int
    last_sync_at: datetime | None
    mailboxes: list[Mailbox]


class AccountList(msgspec.Struct, frozen=True, kw_only=True):
    """In the order in which they were added."""

    accounts: list[Account]
