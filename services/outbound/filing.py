"""What follows a send: whether it was sent when nobody knows, its copy in Sent, the answered message's flag, the draft's end.

All of it may be done twice: a process may have died in the middle.
"""

import asyncio
import time
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID, uuid4

import msgspec
import structlog

from contracts.facts import FlagsRequested, SendDelivered, SendFiled, SendUnconfirmed, SpecialUse
from contracts.provider import MailboxError, MailWriter, ProviderError
from contracts.subjects import AccountSubjects
from services.log.errors import LogError
from services.outbound import places
from services.outbound.account import Parts
from services.outbound.changes import carry_out
from services.outbound.drafts import forget_sent
from services.outbound.errors import OutboundError
from services.outbound.logged_in import connected
from services.outbound.places import look, number
from services.outbound.send import Send
from services.state import sends
from services.state.errors import StateError
from services.state.sends import Content

Copy = Literal["appended", "found", "none"]

AGAIN = 1.0
"""Seconds between two looks into Sent."""

KEYWORDS = {"reply": "\\Answered", "reply_all": "\\Answered", "forward": "$Forwarded"}
"""What a message has to which this was sent (RFC 3501 §2.3.2, RFC 5788)."""

log = structlog.get_logger()


async def settle(parts: Parts, send: Send, attempted: int) -> None:
    """Whether the server took what was attempted is seen in Sent, where it files it itself. Raises Overtaken, LogError."""
    deadline = time.monotonic() + parts.patience.looked_for
    content = await sends.content(parts.db, send.account.user_id, send.id, send.revision)
    while content is not None:
        if await _is_filed(parts, send, content):
            refused = await sends.refused(parts.db, send.account.user_id, [send.id])
            await send.say(parts.nc, attempted, SendDelivered, refused=len(refused.get(send.id, ())))
            return
        if time.monotonic() > deadline:
            break
        await asyncio.sleep(AGAIN)
    log.warning("nobody knows whether it was sent", send=str(send.id))
    await send.say(parts.nc, attempted, SendUnconfirmed)


async def file(parts: Parts, send: Send) -> None:
    """Raises ProviderError, NotYet, Overtaken, LogError; after `expires` it is given up."""
    delivered = send.sequence
    content = await sends.content(parts.db, send.account.user_id, send.id, send.revision)
    copy: Copy = "none"
    try:
        if content is not None:
            copy = await _filed(parts, send, content)
    except LogError:
        raise
    except Exception as error:
        if datetime.now(UTC) - (send.settled_at or datetime.now(UTC)) < parts.expires:
            raise
        log.warning("sent, and not filed", send=str(send.id), error=type(error).__name__)
    await forget_sent(parts, send, None)
    await send.say(parts.nc, delivered, SendFiled, copy=copy)


async def _filed(parts: Parts, send: Send, content: Content) -> Copy:
    async with connected(parts, send.account) as writer:
        copy = await _copied(parts, send, content, writer)
        await forget_sent(parts, send, writer)
    if content.source_message_id is not None and content.kind in KEYWORDS:
        await _mark(parts, send.account, content.source_message_id, KEYWORDS[content.kind])
    return copy


async def _copied(parts: Parts, send: Send, content: Content, writer: MailWriter) -> Copy:
    """One copy, by whomever: a server that files what it is given may need a moment for it."""
    sent = (await places.find(parts.db, send.account)).used_for(SpecialUse.SENT)
    if sent is None:
        return "none"
    since = send.settled_at or datetime.now(UTC)
    while not await look(writer, sent.path, None, content.message_id_header):
        if (datetime.now(UTC) - since).total_seconds() >= parts.patience.copy_awaited:
            return await _appended(parts, send, content, sent.path, writer)
        await asyncio.sleep(AGAIN)
    return "found"


async def _appended(parts: Parts, send: Send, content: Content, path: str, writer: MailWriter) -> Copy:
    raw = await parts.blobs.get(send.account.user_id, content.raw)
    try:
        await writer.append(path, raw, flags=frozenset({"\\Seen"}), date=datetime.now(UTC))
    except MailboxError as refused:
        log.warning("no copy in Sent", send=str(send.id), code=refused.code)
        return "none"
    return "appended"


async def _is_filed(parts: Parts, send: Send, content: Content) -> bool:
    """No, also when the server can't be asked."""
    try:
        sent = (await places.find(parts.db, send.account)).used_for(SpecialUse.SENT)
        if sent is None:
            return False
        async with connected(parts, send.account) as writer:
            return bool(await look(writer, sent.path, None, content.message_id_header))
    except (ProviderError, OutboundError, StateError) as error:
        log.info("sent mail can't be looked for", send=str(send.id), error=type(error).__name__)
        return False


async def _mark(parts: Parts, account: AccountSubjects, message: UUID, flag: str) -> None:
    """Wherever it is, also in another account; where the server keeps no such flag, it has none."""
    there = await places.account_of(parts.db, account.user_id, message)
    if there is None:
        return
    account = msgspec.structs.replace(account, account_id=there)
    request = FlagsRequested(
        user_id=account.user_id,
        account_id=there,
        at=datetime.now(UTC),
        request_id=uuid4(),
        message_ids=[message],
        add=[flag],
        remove=[],
    )
    try:
        async with connected(parts, account) as writer:
            found = await number(await places.find(parts.db, account, [message]), writer)
            await carry_out(request, found, writer)
    except (ProviderError, OutboundError, StateError) as error:
        log.info("what was answered is not marked", account=str(there), error=type(error).__name__)
