"""A job as it is shown."""

from services.gateway.bulk.structs import Job, JobState
from services.gateway.history.shown import EXPIRED, reason_of
from services.state.bulk import JobRow

REASONS = {"account_removed": "The account was removed.", "expired": EXPIRED}


def job(row: JobRow) -> Job:
    return Job(
        id=row.id,
        action=row.action,
        state=_state(row),
        settled=row.settled_at is not None,
        total=row.total,
        asked=row.asked,
        done=row.done,
        refused=row.refused,
        code=row.code or None,
        reason=REASONS.get(row.code) or reason_of(row.code),
        undoable=row.settled_at is not None and row.done > 0 and row.action != "delete",
        undoes=row.undoes,
        created_at=row.created_at,
        settled_at=row.settled_at,
    )


def _state(row: JobRow) -> JobState:
    if row.cancelled:
        return "cancelled"
    if row.settled_at is None:
        return "running"
    return "failed" if row.code and not row.done else "done"
