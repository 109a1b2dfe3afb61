"""A sync job as it is stored: what is asked, for whom, how far it is, and who works on it."""

from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

import msgspec

from services.config import Settings

Kind = Literal["bootstrap", "backfill", "resync"]
State = Literal["queued", "running", "done", "failed", "cancelled"]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]

ACTIVE: frozenset[State] = frozenset({"queued", "running"})


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`chunks`: of one job, which then goes on in a further one. Times in seconds.

    `attempts`: in a row without a chunk between them; what moves on is not given up. A lease is renewed ten times.
    """

    per_user: int = 8
    attempts: int = 5
    chunks: int = 4096
    lease: float = 600
    retry: float = 10
    retry_most: float = 86_400
    kept: int = 7 * 86_400

    @property
    def renew(self) -> float:
        return self.lease / 10

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        return cls(
            per_user=settings.sync_jobs_per_user,
            attempts=settings.sync_job_attempts,
            chunks=settings.sync_job_chunks,
            retry_most=settings.sync_job_retry_most,
        )


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """In whose name a job is done: both numbers are captured by its claim, and the work ends when either is another."""

    authorization_epoch: int
    credential_version: int


class Job(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`by`: `user` or `sync`. `group`: the host group that a cooldown is for. `attempt`: which one this is, from 1.

    While it runs: `worker`, `epoch` (the account's, under which it was claimed), `token` (a random name of the claim),
    `lease_until`, `authority`, and `begun`, its chunks when it was claimed. `code` and `detail`: why it failed, or waits.
    `further`: the job in which its work goes on.
    """

    id: UUID
    user_id: UUID
    account_id: UUID
    kind: Kind
    state: State
    created_at: Moment
    due_at: Moment
    by: str
    group: str = ""
    attempt: int = 0
    worker: str = ""
    epoch: int = 0
    token: str = ""
    lease_until: Moment | None = None
    authority: Authority | None = None
    begun: int = 0
    chunks: int = 0
    messages: int = 0
    code: str = ""
    detail: str = ""
    ended_at: Moment | None = None
    further: UUID | None = None

    @property
    def active(self) -> bool:
        return self.state in ACTIVE

    def may_be_claimed(self, now: datetime, epoch: int = 0) -> bool:
        """Queued and due, or running under a claim that is void: its lease is over, or the account has a later owner."""
        if self.state == "queued":
            return self.due_at <= now
        if self.state != "running" or self.lease_until is None:
            return False
        return self.lease_until <= now or epoch > self.epoch

    def claimed(self, worker: str, token: str, authority: Authority, epoch: int, until: datetime) -> "Job":
        return msgspec.structs.replace(
            self,
            state="running",
            attempt=self.fruitless + 1,
            worker=worker,
            epoch=epoch,
            token=token,
            authority=authority,
            lease_until=until,
            begun=self.chunks,
            code="",
            detail="",
        )

    @property
    def fruitless(self) -> int:
        """Attempts in a row that got nowhere, this one included."""
        return 0 if self.chunks > self.begun else self.attempt

    def queued(self, due_at: datetime, code: str = "", detail: str = "", *, attempt: int) -> "Job":
        """Waiting again, without an owner."""
        return msgspec.structs.replace(
            self,
            state="queued",
            due_at=due_at,
            attempt=attempt,
            worker="",
            epoch=0,
            token="",
            authority=None,
            lease_until=None,
            begun=self.chunks,
            code=code,
            detail=detail,
        )

    def ended(self, state: State, at: datetime, code: str = "", detail: str = "") -> "Job":
        return msgspec.structs.replace(
            self, state=state, ended_at=at, token="", lease_until=None, code=code, detail=detail
        )

    def continued(self, further: UUID, at: datetime) -> "Job":
        """Ended, with its work in another."""
        return msgspec.structs.replace(self.ended("done", at, "continued"), further=further)


def backoff(limits: Limits, attempt: int, dice: float) -> timedelta:
    """How long to wait after so many attempts: doubled each time, half of it by chance (`dice`: 0 to 1), at most a day."""
    whole = min(limits.retry * 2 ** max(attempt - 1, 0), limits.retry_most)
    return timedelta(seconds=whole * (0.5 + dice / 2))
