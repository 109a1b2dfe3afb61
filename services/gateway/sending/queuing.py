"""Putting a mail into the outbox: its content as a row and a blob, then the fact, then the row is settled. Once for each key."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

import asyncpg
import structlog
from litestar import Response

from contracts import ids
from contracts.facts import SendQueued
from contracts.subjects import AccountSubjects
from projections.sql import Connection
from services.gateway import limits
from services.gateway.actions.requests import KEY_REUSED
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import noticing
from services.gateway.drafts.errors import StaleError, being_sent
from services.gateway.drafts.shown import shown
from services.gateway.errors import Refused, not_found
from services.gateway.sending.making import Made, make, prepare
from services.gateway.sending.structs import Queued
from services.log import api
from services.log.append import append_send
from services.log.errors import Conflict, LogError
from services.state import accounts, attempts, drafts, sends, uploads
from services.state.drafts import Draft
from services.state.sends import Content
from services.state.sessions import Session

HOUR = timedelta(hours=1)
LATEST = timedelta(days=366)
SCHEMAS = ("sending",)

ABANDONED = timedelta(minutes=1)
"""Longer than putting a fact into the log is tried: whoever began it is gone."""

EVERY = 60

log = structlog.get_logger()


class Wish(NamedTuple):
    """`revision`: None for the draft as it is now. `due`: None for after the undo window."""

    draft_id: UUID
    revision: int | None
    due: datetime | None
    outbox_id: UUID


async def queue(
    parts: Gateway, user: Session, draft_id: UUID, revision: int | None, *, due: datetime | None, key: str | None
) -> Response[Queued]:
    """A draft is sent. The same `key` again is the same send. Raises Refused, StaleError."""
    wish = Wish(draft_id, revision, due, ids.named(user.user_id, f"send:{key}") if key else uuid4())
    await noticing.notice(parts, user.user_id, draft_id)
    content = await _kept(parts, user, wish)
    position = await tell(parts, user.user_id, content)
    known = await parts.positions.wait(user.user_id, SCHEMAS, position)
    queued = Queued(outbox_id=wish.outbox_id, undo_until=content.due, due=content.due, position=position)
    return Response(queued, status_code=200 if known else 202)


async def tell(parts: Gateway, user_id: UUID, content: Content) -> int:
    """The log of what is kept; what it knows already stays as it is. Gives the last sequence that it has of the send."""
    account = AccountSubjects(parts.partition(user_id), user_id, content.account_id)
    subject = account.send(content.outbox_id)
    fact = SendQueued(
        user_id=user_id,
        account_id=content.account_id,
        at=datetime.now(UTC),
        outbox_id=content.outbox_id,
        draft_id=content.draft_id,
        due=content.due,
        revision=content.revision,
    )
    try:
        position = await append_send(parts.log, subject, fact, expected=0)
    except Conflict:
        last = await api.last(parts.log, account.partition, subject)
        position = last.sequence if last else 0
    except LogError:
        raise Refused(503, "log_unavailable", "It is kept, and will be sent in a few minutes.") from None
    async with as_user(parts.db, user_id) as db:
        await sends.settle(db, user_id, content.outbox_id, content.revision)
    return position


async def finish(parts: Gateway) -> None:
    """What a gateway that died, or that the log did not answer, has left half done."""
    for row in await sends.unsettled(parts.db, ABANDONED):
        async with as_user(parts.db, row.user_id) as db:
            content = await sends.content(db, row.user_id, row.outbox_id, row.revision)
        if content is not None:
            await tell(parts, row.user_id, content)
            log.info("send finished", send=str(row.outbox_id))


async def keep_finishing(parts: Gateway) -> None:
    """At the start and now and then; a log or database that does not answer is asked again the next time."""
    while True:
        try:
            await finish(parts)
        except (LogError, Refused, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            log.warning("sends not finished", error=type(error).__name__)
        await asyncio.sleep(EVERY)


def when(due: datetime) -> datetime:
    """A time that somebody chose. Raises Refused."""
    now = datetime.now(UTC)
    if not now < due < now + LATEST:
        raise Refused(400, "bad_time", "Choose a time to come, within a year.")
    return due


async def _kept(parts: Gateway, user: Session, wish: Wish) -> Content:
    """In the store and as a row; the draft is being sent from here on. Raises Refused, StaleError, and then nothing is kept."""
    limit = f"send:{user.user_id}"
    async with as_user(parts.db, user.user_id) as db:  # given back while the message is made, which may be a large one
        draft = await _found(parts, db, user.user_id, wish)
        if isinstance(draft, Content):
            return draft
        await _check_account(db, user.user_id, draft.account_id)
        due = when(wish.due) if wish.due else None
        ready = await prepare(db, user.user_id, draft)
        most = parts.settings.send_per_hour
        why = f"{most} mails an hour is the most that one may send here."
        await limits.count_in(db, {limit: most}, HOUR, code="too_many_sends", why=why)
    try:
        made = await make(parts, user, ready)
        return await _keep(parts, user, wish._replace(due=due), draft, made)
    except (Refused, StaleError):
        async with as_user(parts.db, user.user_id) as db:
            await attempts.take_back(db, limit)
        raise


async def _keep(parts: Gateway, user: Session, wish: Wish, draft: Draft, made: Made) -> Content:
    """Unless it was kept meanwhile, by the same key. Raises Refused, StaleError when the draft is another by now."""
    async with as_user(parts.db, user.user_id) as db:
        await uploads.hold(db, user.user_id)
        now = await _found(parts, db, user.user_id, wish)
        if isinstance(now, Content):
            await attempts.take_back(db, f"send:{user.user_id}")
            return now
        if now.edition != draft.edition:
            raise StaleError(await shown(parts, db, user.user_id, now))
        (sha,) = await parts.blobs.put(user.user_id, [made.raw])
        content = Content(
            outbox_id=wish.outbox_id,
            revision=draft.revision,
            draft_id=draft.id,
            account_id=draft.account_id,
            raw=sha,
            size=len(made.raw),
            message_id_header=draft.message_id_header,
            envelope_from=made.envelope_from,
            envelope_to=made.to,
            source_message_id=draft.source_message_id,
            kind=draft.kind,
            subject=draft.content.subject,
            due=wish.due or datetime.now(UTC) + timedelta(seconds=user.settings.undo_window),
        )
        await sends.put(db, user.user_id, content)
        await drafts.send(db, user.user_id, draft.id, wish.outbox_id)
        return content


async def _found(parts: Gateway, db: Connection, user_id: UUID, wish: Wish) -> Content | Draft:
    """What was kept under the same key, else the draft, which nobody else changes until this transaction ends.

    Raises Refused, StaleError.
    """
    free = await drafts.changeable(db, user_id, wish.draft_id)
    content = (await sends.contents(db, user_id, [wish.outbox_id])).get(wish.outbox_id)
    if content is not None:
        if content.draft_id != wish.draft_id or wish.revision not in (None, content.revision):
            raise Refused(409, "key_reused", KEY_REUSED)
        return content
    draft = await drafts.find(db, user_id, wish.draft_id)
    if draft is None:
        raise not_found("draft")
    if not free:
        raise being_sent()
    if wish.revision not in (None, draft.revision):
        raise StaleError(await shown(parts, db, user_id, draft))
    return draft


async def _check_account(db: Connection, user_id: UUID, account_id: UUID) -> None:
    account = next(one for one in await accounts.active(db, user_id) if one.id == account_id)
    if account.smtp is None:
        message = "This account has no server for sending. Connect it again with one."
        raise Refused(409, "no_submission", message)
