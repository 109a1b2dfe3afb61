"""A request as the history shows it, and what its refusal means."""

from uuid import UUID

from projections.history.rows import RequestRow
from services.gateway.accounts.advice import ADVICE
from services.gateway.history.structs import Entry, Place
from services.gateway.history.undo import why_not

REASONS = {
    "gone": "The mail was no longer where it was.",
    "no_permission": "The server does not allow this.",
    "over_quota": "The mailbox is full.",
    "mailbox_missing": "The server has no such mailbox any more.",
    "rejected": "The server refused it.",
    "not_supported": "The server can't do this.",
    "protocol": "The server answered what can't be understood.",
    "secret_missing": "The account has no password. Connect it again.",
    "paused": "The account is paused. Resume it first.",
    "internal": "Something went wrong on our side. Try again; if it stays, tell the operator.",
}

EXPIRED = "The server could not be reached in time."


def entry(row: RequestRow) -> Entry:
    reason = why_not(row)
    return Entry(
        id=row.id,
        account_id=row.account_id,
        at=row.at,
        by=row.by,
        kind=row.kind,
        add=row.add,
        remove=row.remove,
        source=_place(row.source, row.source_path),
        target=_place(row.target, row.target_path),
        asked=row.asked,
        done=row.done,
        state=row.state,
        code=row.code or None,
        reason=_reason(row),
        settled_at=row.settled_at,
        undoable=not reason,
        why_not=reason,
        undone_by=row.undone_by,
        thread_id=row.thread_id,
        subject=row.subject,
    )


def _place(mailbox_id: UUID | None, path: str | None) -> Place | None:
    return Place(id=mailbox_id, path=path) if mailbox_id else None


def _reason(row: RequestRow) -> str:
    return EXPIRED if row.state == "expired" else reason_of(row.code)


def reason_of(code: str) -> str:
    """Why something was refused, and what to do."""
    return (REASONS.get(code) or ADVICE.get(code) or REASONS["rejected"]) if code else ""
