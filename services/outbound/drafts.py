"""Drafts are copied to their server's Drafts mailbox, the new copy before the old one goes; what is deleted or sent leaves none.

The row is the truth of what is ours there: the place that it names, and bytes that it remembers to have been put. Whatever else has the
draft's Message-ID was made by somebody with another program and is left to the gateway, which makes a revision or a draft of it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from uuid import UUID

import msgspec
import structlog

from contracts import ids
from contracts.facts import SpecialUse
from contracts.provider import MailboxError, MailboxStatus, MailWriter, Placed
from contracts.subjects import AccountSubjects
from projections.documents import Address, addresses
from projections.mail.placements import Target
from projections.sql import Statements
from services.blobs import BlobMissing
from services.log.errors import LogError
from services.mail import compose
from services.outbound import places
from services.outbound.account import Parts
from services.outbound.logged_in import connected
from services.outbound.send import Send
from services.outbound.trouble import RETRY_MOST
from services.state import quotes
from services.state.drafts import Person, Recipients
from services.state.errors import SecretMissing
from services.state.quotes import Below

query = Statements("services.outbound", "drafts.sql")

LOOK = 2.0
"""Seconds between two looks for drafts that changed."""

REMEMBERED = 20
"""Copies of a draft, the last of which is there: one that a death left behind is known when sync has seen it."""

log = structlog.get_logger()


class Mirror(msgspec.Struct, frozen=True, kw_only=True):
    """Where the copy is that is known. None: there is none."""

    mirror_account_id: UUID | None
    mirror_mailbox_id: UUID | None
    mirror_uidvalidity: int | None
    mirror_uid: int | None


class Copied(Mirror, frozen=True, kw_only=True):
    """A draft of which the server has copies, or may have."""

    id: UUID
    user_id: UUID
    account_id: UUID
    message_id_header: str
    copies: list[str]


class Changed(Copied, frozen=True, kw_only=True):
    """A draft whose copy is not as it should be."""

    identity_id: UUID | None
    in_reply_to: list[str]
    reference_ids: list[str]
    recipients: str
    subject: str
    html: str
    plain: bool
    edition: int
    updated_at: datetime
    deleted: bool


class Drafts:
    """Those of a partition, for as long as its lease is held: accounts beside each other."""

    def __init__(self, parts: Parts, partition: int) -> None:
        self._parts = parts
        self._partition = partition
        self._busy: set[UUID] = set()
        self._pauses: dict[UUID, float] = {}

    async def work(self) -> None:
        """Until cancelled. Raises LogError, and what Postgres raises while it is away."""
        async with asyncio.TaskGroup() as group:
            while True:
                for account, drafts in (await self._changed()).items():
                    self._busy.add(account)
                    group.create_task(self._mirror(account, drafts))
                await asyncio.sleep(LOOK)

    async def _changed(self) -> Mapping[UUID, Sequence[Changed]]:
        """By account, of those that nobody is at."""
        every = self._parts.patience.mirrored_every
        found: defaultdict[UUID, list[Changed]] = defaultdict(list)
        for row in await self._parts.db.fetch(query.changed, every):
            draft = msgspec.convert(dict(row), Changed)
            if (
                ids.partition(draft.user_id, self._parts.partitions) == self._partition
                and draft.account_id not in self._busy
            ):
                found[draft.account_id].append(draft)
        return found

    async def _mirror(self, account: UUID, drafts: Sequence[Changed]) -> None:
        """An account whose server is not to be had is left alone for a while."""
        try:
            place = AccountSubjects(self._partition, drafts[0].user_id, account)
            async with self._parts.turns, connected(self._parts, place) as writer:
                for draft in drafts:
                    await mirror(self._parts, draft, writer)
            self._pauses.pop(account, None)
        except LogError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, other accounts' drafts go on
            log.warning("drafts not copied", account=str(account), error=type(error).__name__)
            pause = self._pauses[account] = min(self._pauses.get(account, LOOK) * 2, RETRY_MOST)
            await asyncio.sleep(pause)
        finally:
            self._busy.discard(account)


async def mirror(parts: Parts, draft: Changed, writer: MailWriter) -> None:
    """Its copy as the draft is now; none of a deleted one, and then no row. Raises what the server's client raises."""
    if draft.deleted:
        await remove_copies(parts, draft, writer)
        await parts.db.execute(query.forget, draft.user_id, draft.id)
        return
    target = (await places.find(parts.db, _place(parts, draft, draft.account_id))).used_for(SpecialUse.DRAFTS)
    place: Sequence[object] = (None, None, None, None)
    if target is not None:
        raw = await built(parts, draft)
        copies = [*draft.copies, sha256(raw).hexdigest()][-REMEMBERED:]
        await parts.db.execute(query.mirroring, draft.user_id, draft.id, copies)
        try:
            placed = await _uploaded(writer, target.path, raw, draft)
            place = (draft.account_id, target.id, placed.uidvalidity, placed.uid)
            await remove_copies(parts, draft, writer, but=placed.uid)
        except MailboxError as refused:
            log.warning("draft not copied", draft=str(draft.id), code=refused.code)
    await parts.db.execute(query.mirrored, draft.user_id, draft.id, draft.edition, *place)


async def forget_sent(parts: Parts, send: Send, writer: MailWriter | None) -> None:
    """A draft that was sent is no draft any more; without a writer its copies are left where they are."""
    row = await parts.db.fetchrow(query.sent, send.account.user_id, send.draft_id, send.id)
    if row is None:
        return
    draft = msgspec.convert(dict(row), Copied)
    if writer is not None and draft.account_id == send.account.account_id:
        try:
            await remove_copies(parts, draft, writer)
        except MailboxError as refused:
            log.warning("copy of a draft not removed", draft=str(draft.id), code=refused.code)
    await parts.db.execute(query.forget, draft.user_id, draft.id)


async def remove_copies(parts: Parts, draft: Copied, writer: MailWriter, but: int | None = None) -> None:
    """Those in Drafts that are ours; also in an account that it was in."""
    await _remove(parts, draft, _place(parts, draft, draft.account_id), writer, but)
    if draft.mirror_account_id not in (None, draft.account_id):
        before = _place(parts, draft, draft.mirror_account_id)
        try:
            async with connected(parts, before) as other:
                await _remove(parts, draft, before, other, None)
        except SecretMissing:  # removed, or not ours to enter any more
            log.info("copy of a draft not removed", draft=str(draft.id))


async def _remove(parts: Parts, draft: Copied, account: AccountSubjects, writer: MailWriter, but: int | None) -> None:
    found = await places.find(parts.db, account)
    drafts, trash = found.used_for(SpecialUse.DRAFTS), found.used_for(SpecialUse.TRASH)
    if drafts is None:
        return
    status, uids = await writer.find(drafts.path, draft.message_id_header)
    old = {*uids} if drafts.labels else await _ours(parts, draft, drafts, status, uids)
    gone = sorted(old - {but or 0, 0})
    if gone and drafts.labels and trash is not None:  # where an expunge takes nothing but the label away
        await writer.move(gone, uidvalidity=status.uidvalidity, source=drafts.path, target=trash.path)
    elif gone:
        await writer.delete(drafts.path, gone, uidvalidity=status.uidvalidity)


async def _ours(parts: Parts, draft: Copied, mailbox: Target, status: MailboxStatus, uids: Sequence[int]) -> set[int]:
    """Of messages with its Message-ID, as far as sync has seen them; and the one that is known, which may have none."""
    user = draft.user_id
    async with places.as_user(parts.db, user) as db:
        rows = await db.fetch(query.copies, user, mailbox.id, status.uidvalidity, uids, draft.copies)
    known = (draft.mirror_mailbox_id, draft.mirror_uidvalidity) == (mailbox.id, status.uidvalidity)
    return {row["uid"] for row in rows} | ({draft.mirror_uid or 0} if known else set())


async def _uploaded(writer: MailWriter, path: str, raw: bytes, draft: Changed) -> Placed:
    """Where it is, by the server's word or by its Message-ID: then it is the newest one with that."""
    placed = await writer.append(path, raw, flags=frozenset({"\\Draft", "\\Seen"}), date=draft.updated_at)
    if placed.uid is not None:
        return placed
    status, uids = await writer.find(path, draft.message_id_header)
    if not uids:
        raise MailboxError("rejected", "the copy of a draft is not where it was put")
    return Placed(uidvalidity=status.uidvalidity, uid=max(uids))


async def built(parts: Parts, draft: Changed) -> bytes:
    """As a message, with Bcc and recipients as far as they are written."""
    user = draft.user_id
    sender = await parts.db.fetchrow(query.sender, user, draft.account_id, draft.identity_id)
    files = [
        compose.File(
            name=row["filename"],
            mime=row["mime"],
            content=await parts.blobs.get(user, row["blob"]),
            inline=row["inline"],
            content_id=row["content_id"],
        )
        for row in await parts.db.fetch(query.files, user, draft.id)
    ]
    below = await _below(parts, draft)
    if below is not None and not draft.plain:
        files += await _images(parts, user, below)
    to = msgspec.json.decode(draft.recipients, type=Recipients)
    letter = compose.Letter(
        from_=Address(name=sender["name"], email=sender["email"]) if sender else Address(name="", email=""),
        reply_to=addresses.parse(sender["reply_to"].encode(), "") if sender else [],
        to=_addresses(to.to),
        cc=_addresses(to.cc),
        bcc=_addresses(to.bcc),
        subject=draft.subject,
        html=draft.html,
        plain=draft.plain,
        date=draft.updated_at,
        message_id=draft.message_id_header,
        in_reply_to=draft.in_reply_to,
        references=draft.reference_ids,
        attachments=files,
        quoted=compose.Quoted(html=below.quote.html, text=below.quote.text) if below else None,
        unfinished=True,
    )
    return await asyncio.to_thread(compose.build, letter)


async def _below(parts: Parts, draft: Changed) -> Below | None:
    async with places.as_user(parts.db, draft.user_id) as db:
        return await quotes.of_draft(db, draft.user_id, draft.id)


async def _images(parts: Parts, user_id: UUID, below: Below) -> list[compose.File]:
    """Without them it is a copy still."""
    try:
        async with parts.blobs.file(user_id, below.blob) as path:
            return await asyncio.to_thread(compose.images, path, below.quote.images)
    except BlobMissing:
        log.exception("blob missing", user=str(user_id), blob=below.blob)
        return []


def _addresses(people: Sequence[Person]) -> list[Address]:
    return [Address(name=one.name, email=one.email) for one in people]


def _place(parts: Parts, draft: Copied, account_id: UUID | None) -> AccountSubjects:
    return AccountSubjects(
        ids.partition(draft.user_id, parts.partitions), draft.user_id, account_id or draft.account_id
    )
