"""One send handed to its submission server: up to the recipients, then the fact that can't be undone, then the content."""

import structlog

from contracts.facts import SendAttempted, SendDelivered
from contracts.provider import ProviderError, RecipientsRefused
from services.blobs import BlobMissing
from services.mail.smtp.submission import Submission
from services.outbound.account import Parts
from services.outbound.errors import CannotBe
from services.outbound.logged_in import credentials
from services.outbound.send import Send
from services.state import sends
from services.state.sends import Content

log = structlog.get_logger()


async def deliver(parts: Parts, send: Send) -> None:
    """Until its end is in the log, or it is `attempted` and not `untaken`: then nobody knows.

    Raises ProviderError, CannotBe, NotYet, Overtaken, LogError.
    """
    known = send.sequence
    content, raw = await _content(parts, send)
    async with parts.submission(await credentials(parts, send.account)) as submission:
        to = [one.email for one in content.envelope_to]
        refused = await submission.envelope(raw, envelope_from=content.envelope_from, envelope_to=to)
        await sends.refuse(parts.db, send.account.user_id, send.account.account_id, send.id, refused)
        await send.say(parts.nc, known, SendAttempted, attempt=send.attempts + 1)
        attempted = send.sequence
        if await _accepted(send, submission):
            await send.say(parts.nc, attempted, SendDelivered, refused=len(refused))
            log.info("sent", send=str(send.id), attempt=send.attempts, refused=len(refused))


async def tell(parts: Parts, send: Send, error: Exception) -> None:
    """What stands in the way of a send of which nothing was sent, for its owner, and for who sends it if we die now."""
    account = send.account
    if isinstance(error, RecipientsRefused):
        await sends.refuse(parts.db, account.user_id, account.account_id, send.id, error.refused)
    words = error.detail if isinstance(error, ProviderError) else ""
    attempted = send.sequence if send.untaken else 0
    await sends.say(parts.db, account.user_id, account.account_id, send.id, words, attempted=attempted)


async def _accepted(send: Send, submission: Submission) -> bool:
    """Raises ProviderError when it certainly was not."""
    try:
        return await submission.content() == "accepted"
    except ProviderError:
        send.untaken = True
        raise


async def _content(parts: Parts, send: Send) -> tuple[Content, bytes]:
    content = await sends.content(parts.db, send.account.user_id, send.id, send.revision)
    if content is None:
        raise CannotBe("content_missing")
    try:
        return content, await parts.blobs.get(send.account.user_id, content.raw)
    except BlobMissing:
        log.error("what is to be sent is missing", send=str(send.id))  # noqa: TRY400 - there is nothing more to it
        raise CannotBe("content_missing") from None
