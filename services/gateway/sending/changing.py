"""What may still be said of a send: only if nothing was said of it since, so that of an undo and an attempt one wins (design §2)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from litestar import Response

from contracts import codec
from contracts.facts import Fact, SendCancelled, SendEdited, SendFailed, SendQueued
from contracts.subjects import AccountSubjects
from projections.sending import reader
from projections.sending.rows import OutboxRow
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts.errors import being_sent
from services.gateway.errors import Refused, not_found
from services.gateway.sending import queuing
from services.gateway.sending.structs import Queued, Undone
from services.log import api
from services.log.append import append_send
from services.log.errors import Conflict
from services.state import drafts, sends
from services.state.sends import Content
from services.state.sessions import Session

Waiting = SendQueued | SendEdited


class Said(NamedTuple):
    """The last word on a send, ours or another's that came first."""

    sequence: int
    fact: Fact


async def take_back(parts: Gateway, user_id: UUID, outbox_id: UUID) -> Response[Undone]:
    """Nothing of it was or will be sent, or Refused is raised."""
    content = await _content(parts, user_id, outbox_id)
    said = await _say(parts, user_id, content, lambda named, _: SendCancelled(**named))
    if not isinstance(said.fact, SendCancelled | SendFailed):
        raise _already_sent()
    async with as_user(parts.db, user_id) as db:
        await drafts.release(db, user_id, outbox_id)
    known = await parts.positions.wait(user_id, queuing.SCHEMAS, said.sequence)
    return Response(Undone(draft_id=content.draft_id, position=said.sequence), status_code=200 if known else 202)


async def put_off(parts: Gateway, user_id: UUID, outbox_id: UUID, due: datetime | None) -> datetime:
    """Another time, or now; gives it. Raises Refused when it waits no more."""
    wished = queuing.when(due) if due else datetime.now(UTC)
    content = await _content(parts, user_id, outbox_id)

    def edited(named: dict[str, Any], last: Waiting) -> Fact:
        return SendEdited(**named, draft_id=last.draft_id, due=wished, revision=last.revision)

    said = await _say(parts, user_id, content, edited)
    if isinstance(said.fact, SendCancelled | SendFailed):
        raise Refused(409, "not_queued", "It does not wait to be sent any more.")
    if not isinstance(said.fact, SendEdited):
        raise _already_sent()
    await parts.positions.wait(user_id, queuing.SCHEMAS, said.sequence)
    return wished


async def again(parts: Gateway, user: Session, outbox_id: UUID, key: str | None) -> Response[Queued]:
    """What failed, or what nobody knows to be sent, on the user's own word: the draft as it is now. Raises Refused."""
    row = await _over(parts, user.user_id, outbox_id)
    if row.state not in ("failed", "unconfirmed"):
        raise Refused(409, "not_failed", "Only what was not sent can be sent again.")
    return await queuing.queue(parts, user, row.draft_id, None, due=None, key=key)


async def set_aside(parts: Gateway, user_id: UUID, outbox_id: UUID) -> None:
    """Its draft is a draft like any other from here on. Raises Refused while it is on its way."""
    await _over(parts, user_id, outbox_id)
    async with as_user(parts.db, user_id) as db:
        await drafts.release(db, user_id, outbox_id)


async def _say(
    parts: Gateway, user_id: UUID, content: Content, make: Callable[[dict[str, Any], Waiting], Fact]
) -> Said:
    """What follows from its waiting; or what was said instead, when it waits no more."""
    account = AccountSubjects(parts.partition(user_id), user_id, content.account_id)
    subject = account.send(content.outbox_id)
    named = {"user_id": user_id, "account_id": content.account_id, "outbox_id": content.outbox_id}
    while True:
        last = await api.last(parts.log, account.partition, subject)
        if last is None:  # its fact is still to be told; where the account was erased, so was this content
            await queuing.tell(parts, user_id, await _content(parts, user_id, content.outbox_id))
            continue
        fact = codec.decode_at(last.subject, last.data)
        if not isinstance(fact, Waiting):
            return Said(last.sequence, fact)
        says = make({**named, "at": datetime.now(UTC)}, fact)
        try:
            return Said(await append_send(parts.log, subject, says, expected=last.sequence), says)
        except Conflict:
            continue


async def _content(parts: Gateway, user_id: UUID, outbox_id: UUID) -> Content:
    async with as_user(parts.db, user_id) as db:
        found = await sends.contents(db, user_id, [outbox_id])
    if outbox_id not in found:
        raise not_found("mail")
    return found[outbox_id]


async def _over(parts: Gateway, user_id: UUID, outbox_id: UUID) -> OutboxRow:
    """A send that is not on its way any more. Raises Refused."""
    content = await _content(parts, user_id, outbox_id)
    async with as_user(parts.db, user_id) as db:
        row = await reader.one(db, user_id, content.outbox_id)
    if row is None or row.state in ("queued", "attempted"):
        raise being_sent()
    return row


def _already_sent() -> Refused:
    return Refused(409, "already_sent", "It was too late: the mail is sent, or just being sent.")
