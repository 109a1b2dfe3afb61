"""Jobs as the API shows them, and what their reasons mean."""

from uuid import UUID

from services.gateway.accounts.advice import ADVICE, advice
from services.gateway.sync.structs import Skip, SyncJob
from services.jobs.job import Job

REASONS = {
    "not_owner": "You have no such account.",
    "reconnect_required": "The server refuses this account's password. Connect the account again.",
    "paused": "This account is paused. Resume it first.",
    "cooling_down": "The server asked us to wait. It is left alone for a few minutes.",
    "already_queued": "A sync of this account is waiting or running already.",
    "too_many_jobs": "Too many syncs of yours wait or run. Cancel one, or wait until one ends.",
    "busy": "Your jobs change too fast just now. Try again in a moment.",
    "revoked": "The account was changed while it ran. It begins again with the new settings.",
    "worker_lost": "Every attempt was cut off. Try again; if it stays, tell the operator.",
    "continued": "It did as much as one job may. The rest is done by a further one.",
    "cancelled": "It was cancelled. What it had done until then is kept.",
}


def skip(account_id: UUID, reason: str) -> Skip:
    return Skip(account_id=account_id, reason=reason, detail=REASONS[reason])


def shown(job: Job) -> SyncJob:
    return SyncJob(
        id=job.id,
        account_id=job.account_id,
        kind=job.kind,
        state=job.state,
        created_at=job.created_at,
        due_at=job.due_at,
        ended_at=job.ended_at,
        attempt=job.attempt,
        chunks=job.chunks,
        messages=job.messages,
        code=job.code or None,
        detail=_detail(job),
        further=job.further,
    )


def _detail(job: Job) -> str:
    """Our own words, with the server's where it spoke."""
    if not job.code:
        return ""
    if job.code in ADVICE:
        return advice(job.code, job.detail)
    return REASONS.get(job.code) or job.detail or "It failed. Try again; if it stays, tell the operator."
