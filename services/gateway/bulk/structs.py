"""What is sent to act on everything, and how far that is."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from services.gateway.actions.structs import Action, Flags
from services.state import bulk

JobState = Literal["running", "done", "cancelled", "failed"]


class EverythingWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to do with all that a list holds now: `view` as lists are asked for, with `q` where it is `search`.

    `confirmed`: for `delete`, which is for ever.
    """

    action: Action
    view: str
    q: str = ""
    add: Flags = []
    remove: Flags = []
    mailbox_id: UUID | None = None
    confirmed: bool = False


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Counts are of messages: `asked` are in the log, `done` and `refused` have their outcome, and none is counted twice.

    `settled`: nothing of it is under way; one that was cancelled brings to its end what it has begun. `code`, `reason`: why the
    first of the refused was. `undoes`: the job that it takes back.
    """

    id: UUID
    action: bulk.Action
    state: JobState
    settled: bool
    total: int
    asked: int
    done: int
    refused: int
    code: str | None
    reason: str
    undoable: bool
    undoes: UUID | None
    created_at: datetime
    settled_at: datetime | None


class Jobs(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    jobs: list[Job]
