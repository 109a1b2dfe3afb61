"""Sends as the API shows them: where each stands, whom it goes to, and what went wrong."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from contracts.provider import Refusal
from projections.sending import reader
from projections.sending.rows import OutboxRow
from projections.sql import Connection, Statements
from services.gateway.accounts.advice import ADVICE
from services.gateway.messages.structs import Addr
from services.gateway.sending.structs import RefusedRecipient, Send
from services.state import drafts, sends
from services.state.sends import Content

query = Statements("services.gateway.sending", "read.sql")

_UNDO = timedelta(seconds=60)
"""The longest undo window."""

_UNSAID = 0
"""The sequence of what the read model does not know."""

_CLOSED = ("delivered", "cancelled")
_IN_TROUBLE = ("queued", "failed", "unconfirmed")

REASONS = {
    "expired": "Its server was not reached in time. Check the account, then send it again.",
    "content_missing": "What was to be sent is missing from the store. Open the draft and send it again.",
    "no_submission": "The account has no server for sending. Connect it again with one.",
    "refused_recipients": "The server took none of the recipients. Correct them, then send it again.",
    "rejected": "The server refused this mail. Change what it complains of, then send it again.",
    "over_quota": "The server has no room for this mail. Make it smaller, or send it later.",
    "no_permission": "The server does not let this account send mail from this address. Choose another sender.",
    "not_supported": "The server can't send this mail, for an address in it for example. Change it, then send it again.",
    "access_off": "Access for mail programs is switched off there. Switch it on in the provider's own settings, then send it again.",
    "internal": "Something went wrong on our side. Send it again; if it stays, tell the operator.",
}
_UNKNOWN = (
    "The connection broke after all had been handed over, so nobody knows whether it was sent. "
    "Look whether it arrived before you send it again."
)
_LATE = "It could not be sent yet. It is tried again and again."
_PARTLY = "It was sent, but not to everybody."


class Page(NamedTuple):
    """`after`: the last row of it, when more rows follow."""

    sends: list[Send]
    after: OutboxRow | None


async def opened(db: Connection, user_id: UUID) -> list[Send]:
    """What a draft waits for, until it is sent, taken back or set aside; newest first."""
    rows = await _known(db, user_id, await drafts.being_sent(db, user_id))
    rows = [row for row in rows if row.state not in _CLOSED]
    return await _shown(db, user_id, sorted(rows, key=lambda row: row.queued_at, reverse=True))


async def page(db: Connection, user_id: UUID, *, before: tuple[datetime, UUID] | None, limit: int) -> Page:
    """Whatever became of it, newest first; what the read model does not know yet is on the first page, beside its rows."""
    found = await reader.newest(db, user_id, limit + 1, before=before)
    rows = found[:limit]
    coming = [] if before else await _known(db, user_id, await drafts.being_sent(db, user_id))
    shown = await _shown(db, user_id, [*(row for row in coming if row.sequence == _UNSAID), *rows])
    return Page(shown, rows[-1] if len(found) > limit else None)


async def one(db: Connection, user_id: UUID, outbox_id: UUID) -> Send | None:
    return next(iter(await _shown(db, user_id, await _known(db, user_id, [outbox_id]))), None)


async def _known(db: Connection, user_id: UUID, outbox_ids: Sequence[UUID]) -> list[OutboxRow]:
    """Also what the read model does not know yet: of that nothing was said but that it waits."""
    rows = await reader.some(db, user_id, outbox_ids)
    coming = {*outbox_ids} - {row.id for row in rows}
    return [*rows, *map(_coming, (await sends.contents(db, user_id, [*coming])).values())]


async def _shown(db: Connection, user_id: UUID, rows: Sequence[OutboxRow]) -> list[Send]:
    named = [row.id for row in rows]
    contents = await sends.contents(db, user_id, named)
    refused, words = await sends.refused(db, user_id, named), await sends.words(db, user_id, named)
    sources = [one.source_message_id for one in contents.values() if one.source_message_id]
    threads = {row["id"]: row["thread_id"] for row in await db.fetch(query.threads, user_id, sources)}
    return [
        _send(row, contents[row.id], refused.get(row.id, {}), words.get(row.id, ""), threads)
        for row in rows
        if row.id in contents
    ]


def _send(
    row: OutboxRow, content: Content, refused: Mapping[str, Refusal], words: str, threads: Mapping[UUID, UUID]
) -> Send:
    said = words if row.state in _IN_TROUBLE else ""
    return Send(
        id=row.id,
        draft_id=row.draft_id,
        account_id=row.account_id,
        state=row.state,
        due=row.due,
        undo_until=row.due,
        scheduled=row.state == "queued" and row.due > datetime.now(UTC) + _UNDO,
        subject=content.subject,
        to=[Addr(name=one.name, email=one.email) for one in content.envelope_to],
        code=row.code or None,
        reason=_reason(row, said),
        said=said,
        refused=[RefusedRecipient(email=email, code=one.code, text=one.text) for email, one in refused.items()],
        attempts=row.attempts,
        queued_at=row.queued_at,
        settled_at=row.settled_at,
        filed=row.filed,
        thread_id=threads.get(content.source_message_id) if content.source_message_id else None,
    )


def _reason(row: OutboxRow, said: str) -> str:
    match row.state:
        case "failed":
            return REASONS.get(row.code) or ADVICE.get(row.code) or REASONS["rejected"]
        case "unconfirmed":
            return _UNKNOWN
        case "delivered" if row.refused:
            return _PARTLY
        case "queued" if said or row.due < datetime.now(UTC) - _UNDO:
            return _LATE
    return ""


def _coming(content: Content) -> OutboxRow:
    return OutboxRow(
        id=content.outbox_id,
        account_id=content.account_id,
        draft_id=content.draft_id,
        revision=content.revision,
        due=content.due,
        state="queued",
        attempts=0,
        refused=0,
        code="",
        filed=False,
        queued_at=datetime.now(UTC),
        settled_at=None,
        sequence=_UNSAID,
    )
