"""Ask for a sync, follow it, cancel it. Nothing is done here: jobs are only enqueued, and workers do them (design §7)."""

from collections.abc import Container, Mapping
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.params import FromQuery, JSONBody

from contracts.facts import AccountState
from projections.accounts_state import reader as states
from projections.accounts_state.rows import AccountRow
from services.gateway.deps import CurrentUser, Db, Parts
from services.gateway.errors import AnyRequest, Refused, not_found
from services.gateway.limits import count
from services.gateway.security import signed_in
from services.gateway.sync.shown import shown, skip
from services.gateway.sync.structs import (
    Enqueued,
    JobList,
    NothingEnqueued,
    Problem,
    Skip,
    SyncCancel,
    SyncJob,
    SyncWish,
)
from services.jobs import cooldowns
from services.jobs.errors import Skipped
from services.jobs.job import Job
from services.state import accounts

TRIES = 60
"""Of one user in 15 minutes."""


class AllSkipped(Exception):
    """Not one account has a job now."""

    def __init__(self, skipped: list[Skip]) -> None:
        super().__init__()
        self.skipped = skipped


def _all_skipped(_: AnyRequest, error: AllSkipped) -> Response[NothingEnqueued]:
    reasons = {one.reason: one.detail for one in error.skipped}
    problem = Problem(code="no_accounts", message="You have no account to sync.")
    if reasons:
        problem = Problem(code="nothing_enqueued", message=" ".join(reasons.values()))
    return Response(NothingEnqueued(error=problem, skipped=error.skipped), status_code=409)


def _may_sync(account_id: UUID, own: Container[UUID], state: Mapping[UUID, AccountRow]) -> None:
    """Raises Skipped. Another's account looks like none."""
    if account_id not in own:
        raise Skipped("not_owner")
    told = state[account_id].state if account_id in state else None
    if told is AccountState.RECONNECT_REQUIRED:
        raise Skipped("reconnect_required")
    if told is AccountState.DISABLED:
        raise Skipped("paused")


class SyncController(Controller):
    """Jobs of the user; those of others look like none."""

    path = "/sync"
    tags = ("sync",)
    guards = (signed_in,)
    exception_handlers = {AllSkipped: _all_skipped}  # noqa: RUF012 - Litestar's own shape

    @post(operation_id="StartSync", status_code=202)
    async def start(self, *, user: CurrentUser, db: Db, parts: Parts, data: JSONBody[SyncWish]) -> Enqueued:
        """A job for each account; those that get none say why. When none gets one: 409, with `skipped` beside the error."""
        await count(parts.db, {f"sync:{user.user_id}": TRIES})
        hosts = await accounts.hosts(db, user.user_id, "active")
        state = await states.accounts(db, user.user_id)
        jobs: list[Job] = []
        skipped: list[Skip] = []
        for account_id in dict.fromkeys(hosts if data.accounts is None else data.accounts):
            try:
                _may_sync(account_id, hosts, state)
                group = cooldowns.group(hosts[account_id])
                jobs.append(await parts.jobs.enqueue(user.user_id, account_id, data.kind, by="user", group=group))
            except Skipped as reason:
                skipped.append(skip(account_id, reason.code))
        if not jobs:
            raise AllSkipped(skipped)
        return Enqueued(jobs=[shown(job) for job in jobs], skipped=skipped)

    @get("/status", operation_id="SyncStatus")
    async def status(self, *, user: CurrentUser, parts: Parts, job: FromQuery[UUID | None] = None) -> JobList:
        """One job, or all of the user's: current ones, and those that ended within a week."""
        if job is None:
            return JobList(jobs=[shown(one) for one in await parts.jobs.of_user(user.user_id)])
        found = await parts.jobs.find(user.user_id, job)
        if found is None:
            raise not_found("job")
        return JobList(jobs=[shown(found)])

    @post("/cancel", operation_id="CancelSync", status_code=200)
    async def cancel(self, *, user: CurrentUser, parts: Parts, data: JSONBody[SyncCancel]) -> SyncJob:
        """It writes nothing more; what it wrote before is kept."""
        job = await parts.jobs.cancel(user.user_id, data.job)
        if job is None:
            raise not_found("job")
        if job.state != "cancelled":
            raise Refused(409, "already_ended", "This sync has ended already.")
        return shown(job)
