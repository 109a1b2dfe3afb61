"""What is sent to act on mail, and what comes of it."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from contracts.facts import SpecialUse

MOST = 500
"""Conversations or messages of one action."""

Flag = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Flags = Annotated[list[Flag], msgspec.Meta(max_length=20)]
Ids = Annotated[list[UUID], msgspec.Meta(max_length=MOST)]
Action = Literal["flags", "move", "archive", "junk", "not_junk", "trash", "delete"]
Use = Literal["archive", "drafts", "junk", "sent", "trash"]


class FlagsWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    r"""`\Seen`, `\Flagged`, `\Answered`, or a keyword."""

    add: Flags = []
    remove: Flags = []


class MoveWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to: a mailbox of the message's own account."""

    mailbox_id: UUID


class ActionWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to do with conversations, messages, or both. `add` and `remove` are for `flags`, `mailbox_id` for `move`.

    `view`: the list in which the conversations were chosen; what they show there is meant. `confirmed`: delete for ever
    also what is neither in Trash nor in Junk.
    """

    action: Action
    thread_ids: Ids = []
    message_ids: Ids = []
    add: Flags = []
    remove: Flags = []
    mailbox_id: UUID | None = None
    view: str | None = None
    confirmed: bool = False


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request of an account. `messages`: how many it changes."""

    id: UUID
    account_id: UUID
    messages: int


class Requested(msgspec.Struct, frozen=True, kw_only=True):
    """No requests: everything was so already. `position`: what is read from there on shows them."""

    requests: list[Request]
    position: int


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A mailbox that may be chosen."""

    id: UUID
    path: str


class MailboxProblem(msgspec.Struct, frozen=True, kw_only=True):
    """As every error."""

    code: str
    message: str


class NoMailboxFor(msgspec.Struct, frozen=True, kw_only=True):
    """An error: the account has no mailbox for this use. Choose one of `candidates`, or create one."""

    error: MailboxProblem
    use: SpecialUse
    account_id: UUID
    candidates: list[Candidate]


class MailboxWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mailbox to be made, and what for."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    use: Use


class MailboxMade(msgspec.Struct, frozen=True, kw_only=True):
    """It is on the server and chosen for its use."""

    id: UUID
    path: str
    use: SpecialUse
