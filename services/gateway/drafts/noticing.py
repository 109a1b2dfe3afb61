"""What other mail programs make of the copies of drafts: the draft's next revision, or where both were changed a draft of its own.

A program that edits a copy puts another message there and takes the copy away, in either order; some keep its Message-ID. Whose
message cannot be told for certain stays a draft that only the server has.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

import structlog

from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.blobs import BlobMissing
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import beginning, continuing
from services.gateway.drafts.shown import query
from services.gateway.drafts.telling import tell
from services.gateway.errors import Refused
from services.mail import compose
from services.state import drafts, uploads
from services.state.drafts import Content, Draft, Mirror, New

SETTLED = timedelta(minutes=1)
"""A message beside the copy is there so long before it is a draft of its own."""

log = structlog.get_logger()


class Stranger(NamedTuple):
    """A message beside the copy of a draft, whose `edition` that is: see `strangers` in read.sql."""

    draft_id: UUID
    message_id: UUID
    uid: int
    edition: int
    same: bool
    free: bool
    lasting: bool


class Change(NamedTuple):
    """`next_revision`: of the draft; else a draft of its own."""

    stranger: Stranger
    next_revision: bool


class Copy(NamedTuple):
    """A message that is a draft, and its place."""

    message: MessageRow
    place: Mirror
    content: Content


async def notice(parts: Gateway, user_id: UUID, draft_id: UUID | None = None) -> None:
    """Of one draft, or of all. What fails is left as it is, on the server."""
    async with as_user(parts.db, user_id) as db:
        rows = await db.fetch(query.strangers, user_id, draft_id, SETTLED)
    for change in changes([Stranger(*row) for row in rows]):
        try:
            async with as_user(parts.db, user_id) as db:
                changed = await _made(parts, db, user_id, change)
        except (Refused, BlobMissing) as error:
            named = {"draft": str(change.stranger.draft_id), "message": str(change.stranger.message_id)}
            log.warning("edited draft not taken over", **named, error=type(error).__name__)
            continue
        if changed is not None:
            await tell(parts, user_id, changed)


def changes(strangers: Sequence[Stranger]) -> Iterator[Change]:
    """In the order of UIDs. Of several with the draft's Message-ID the latest is what was made of the copy; one with another
    only when no two drafts or messages can be meant.
    """
    by_draft: defaultdict[UUID, list[Stranger]] = defaultdict(list)
    for one in strangers:
        by_draft[one.draft_id].append(one)
    meant = Counter(one.message_id for one in strangers if one.free and not one.same)
    for found in by_draft.values():
        edited = _edited(found, meant)
        if edited is not None:
            yield Change(edited, next_revision=True)
        yield from (Change(one, next_revision=False) for one in found if one.same and one.lasting and one is not edited)


def _edited(found: Sequence[Stranger], meant: Mapping[UUID, int]) -> Stranger | None:
    free = [one for one in found if one.free]
    same = [one for one in free if one.same]
    if same:
        return same[-1]
    return free[0] if len(free) == 1 and meant[free[0].message_id] == 1 else None


async def _made(parts: Gateway, db: Connection, user_id: UUID, change: Change) -> Draft | None:
    """The draft that it is now; None when there is nothing to do any more. Raises Refused, BlobMissing."""
    stranger = change.stranger
    await uploads.hold(db, user_id)
    if not await drafts.changeable(db, user_id, stranger.draft_id):
        return None
    draft = await drafts.find(db, user_id, stranger.draft_id)
    row = await mail.message(db, user_id, stranger.message_id)
    if draft is None or draft.mirror is None or draft.edition != stranger.edition or row is None:
        return None
    copy = Copy(row, draft.mirror._replace(uid=stranger.uid), await _content(parts, db, user_id, draft, row))
    if not change.next_revision:
        made = await _begun(parts, db, user_id, draft, copy)
    elif stranger.same or _comes_of(draft.content, copy.content):
        made = await _saved(db, user_id, draft, copy)
    else:
        made = None
    if made is None:
        return None
    files = await continuing.files_of(parts, user_id, row)
    await uploads.carry(db, user_id, made, files.carried)
    return await drafts.find(db, user_id, made)


async def _content(parts: Gateway, db: Connection, user_id: UUID, draft: Draft, row: MessageRow) -> Content:
    """From whom the draft was, unless it names another of the user's own. Raises Refused, BlobMissing."""
    mine = await beginning.own_identities(db, user_id)
    mine.sort(key=lambda one: one.id != draft.content.identity_id)
    written, content = await continuing.read(parts, db, user_id, row, mine)
    if not written.document.synthetic_id:
        raise Refused(422, "unreadable", "This message can't be read.")
    return content


def _comes_of(before: Content, after: Content) -> bool:
    """It has at least half of the words that were there."""
    words = set(compose.text_of(before.html).split())
    return 2 * len(words.intersection(compose.text_of(after.html).split())) >= len(words)


async def _saved(db: Connection, user_id: UUID, draft: Draft, copy: Copy) -> UUID | None:
    """The draft's next revision."""
    if not await drafts.save(db, user_id, draft.id, draft.revision, copy.content):
        return None
    await drafts.take_over(db, user_id, draft.id, copy.message.id, place=copy.place, blob=copy.message.blob)
    log.info("draft edited elsewhere", draft=str(draft.id))
    return draft.id


async def _begun(parts: Gateway, db: Connection, user_id: UUID, draft: Draft, copy: Copy) -> UUID | None:
    """Another draft, under a Message-ID of its own, which its copy is given, too."""
    identity = next(one for one in await beginning.own_identities(db, user_id) if one.id == copy.content.identity_id)
    new = New(
        copy.message.account_id,
        copy.content,
        beginning.message_id(parts, identity.email),
        draft.kind,
        draft.source_message_id,
        draft.conversation,
        continued_id=copy.message.id,
        mirror=copy.place,
        copies=[copy.message.blob],
    )
    draft_id = await drafts.begin(db, user_id, new)
    if draft_id is not None:
        await drafts.touch(db, user_id, draft_id)
        log.info("draft edited here and elsewhere", draft=str(draft.id), other=str(draft_id))
    return draft_id
