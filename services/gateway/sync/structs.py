"""What is sent and shown of sync jobs."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec

from services.jobs.job import Kind, State


class SyncWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`accounts`: null for all of the user's. `resync`: compare every mailbox with the server, whole."""

    accounts: Annotated[list[UUID], msgspec.Meta(max_length=1000)] | None = None
    kind: Literal["resync"] = "resync"


class SyncCancel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The job's id."""

    job: UUID


class SyncJob(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: why it failed, waits or goes on elsewhere; `detail`: what that means. `due_at`: when it is tried (again).

    `attempt` counts from 1. `further`: the job in which its work goes on.
    """

    id: UUID
    account_id: UUID
    kind: Kind
    state: State
    created_at: datetime
    due_at: datetime
    ended_at: datetime | None
    attempt: int
    chunks: int
    messages: int
    code: str | None
    detail: str
    further: UUID | None


class JobList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    jobs: list[SyncJob]


class Skip(msgspec.Struct, frozen=True, kw_only=True):
    """`reason` why nothing was enqueued for an account, and `detail` what to do about it."""

    account_id: UUID
    reason: str
    detail: str


class Enqueued(msgspec.Struct, frozen=True, kw_only=True):
    """At least one job."""

    jobs: list[SyncJob]
    skipped: list[Skip]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """As every error."""

    code: str
    message: str


class NothingEnqueued(msgspec.Struct, frozen=True, kw_only=True):
    """An error, and the reason of each account."""

    error: Problem
    skipped: list[Skip]
