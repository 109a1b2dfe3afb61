"""How a draft begins: empty, or as an answer to a message, whose recipients, subject and files it takes over (RFC 5322 §3.6)."""

import asyncio
from collections.abc import Sequence
from uuid import UUID, uuid4

from projections.documents import Address
from projections.mail import reader as mail
from projections.mail.rows import MessageRow
from projections.sql import Connection
from services.gateway.deps import Gateway, as_user
from services.gateway.drafts import carrying, quoting
from services.gateway.drafts.carrying import Files
from services.gateway.drafts.shown import shown
from services.gateway.drafts.structs import Draft, NewDraft, Recipient
from services.gateway.errors import Refused, not_found
from services.gateway.lines import one_line
from services.gateway.messages import documents, headers
from services.mail import compose
from services.state import accounts, drafts, identities, uploads
from services.state.drafts import Content, New, Person, Recipients
from services.state.identities import Identity
from services.state.sessions import Session


async def begin(parts: Gateway, user: Session, wish: NewDraft) -> Draft:
    """A draft that nobody has saved yet. Raises Refused."""
    user_id = user.user_id
    async with as_user(parts.db, user_id) as db:
        mine = await own_identities(db, user_id)
        await uploads.hold(db, user_id)
        if wish.kind == "new":
            identity = _wished(mine, wish) or mine[0]
            content = Content(identity.id, Recipients(to=typed(wish.to)), "", "", plain=False, quote="none")
            new, files = New(identity.account_id, content, message_id(parts, identity.email), wish.kind), Files([], [])
        else:
            new, files = await _answer(parts, db, user_id, wish, mine)
        draft_id = await drafts.begin(db, user_id, new)
        if draft_id is None:
            raise AssertionError("a Message-ID was made twice")
        await uploads.carry(db, user_id, draft_id, files.carried)
        draft = await drafts.find(db, user_id, draft_id)
        if draft is None:
            raise not_found("account")
        begun = await shown(parts, db, user_id, draft, files.warnings)
    if new.content.quote == "full":
        await quoting.keep(parts, user, draft_id, kind=new.kind, source=new.source_message_id)
    return begun


async def own_identities(db: Connection, user_id: UUID) -> list[Identity]:
    """Raises Refused when there is nobody to be."""
    found = await identities.of_user(db, user_id)
    if not found:
        raise Refused(409, "no_account", "Connect a mail account first.")
    return found


async def original(parts: Gateway, db: Connection, user_id: UUID, row: MessageRow) -> compose.Original:
    """The document, and what it does not keep of the header."""
    document = (await documents.read(parts, db, user_id, {row.blob}, ()))[row.blob]
    async with parts.blobs.file(user_id, row.blob) as path:
        return await asyncio.to_thread(lambda: compose.original(headers.head(path), document))


def addressed(mine: Sequence[Identity], account_id: UUID, answered: compose.Original) -> Identity:
    """Whom a message is to; of its account's identities where several share an address, else the account's default one."""
    near = sorted(mine, key=lambda one: one.account_id != account_id)
    email = compose.addressed(answered, [one.email for one in near])
    return next((one for one in near if one.email == email), near[0])


def typed(people: Sequence[Recipient | Address]) -> list[Person]:
    """As it was typed, in one line each."""
    return [Person(name=one_line(one.name), email=one_line(one.email)) for one in people]


async def _answer(
    parts: Gateway, db: Connection, user_id: UUID, wish: NewDraft, mine: Sequence[Identity]
) -> tuple[New, Files]:
    row = await mail.message(db, user_id, wish.message_id) if wish.message_id else None
    if row is None or wish.kind == "new":
        raise not_found("message")
    answered = await original(parts, db, user_id, row)
    identity = _wished(mine, wish) or addressed(mine, row.account_id, answered)
    addresses = {one.email for one in mine} | {one.email for one in await accounts.active(db, user_id)}
    to, cc = compose.recipients(wish.kind, answered, addresses)
    content = Content(
        identity.id,
        Recipients(to=typed(wish.to or to), cc=typed(cc)),
        compose.subject(wish.kind, row.subject),
        "",
        plain=False,
        quote="none" if wish.as_attachment else "full",
    )
    new = New(
        identity.account_id,
        content,
        message_id(parts, identity.email),
        wish.kind,
        source_message_id=row.id,
        conversation=compose.conversation(wish.kind, answered),
    )
    return new, await _carried(parts, user_id, wish, row)


async def _carried(parts: Gateway, user_id: UUID, wish: NewDraft, row: MessageRow) -> Files:
    """Inline images belong to the quote and are taken with it when it is sent."""
    if wish.as_attachment:
        return await carrying.whole(parts, user_id, row)
    if wish.kind == "forward":
        return await carrying.files(parts, user_id, [one for one in row.attachments if not one.inline])
    return Files([], [])


def message_id(parts: Gateway, email: str) -> str:
    """For life; of the domain that the draft begins to be from (RFC 5322 §3.6.4)."""
    try:
        domain = compose.check(email).rpartition("@")[2].lower()
    except compose.BadAddress:
        domain = parts.settings.app_domain
    return f"<{uuid4()}@{domain}>"


def _wished(mine: Sequence[Identity], wish: NewDraft) -> Identity | None:
    """None when nobody in particular is wished. Raises Refused."""
    if wish.identity_id is not None:
        found = next((one for one in mine if one.id == wish.identity_id), None)
    elif wish.account_id is not None:
        found = next((one for one in mine if one.account_id == wish.account_id), None)
    else:
        return None
    if found is None:
        raise not_found("identity" if wish.identity_id else "account")
    return found
