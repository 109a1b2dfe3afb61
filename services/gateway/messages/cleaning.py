"""HTML that only a child may parse (design §5): a message's with remote images, again from its bytes, and what users write."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from typing import BinaryIO
from uuid import UUID

import structlog

from services.blobs import Blobs
from services.gateway.errors import Refused

DEADLINE = 20
AT_ONCE = 2

log = structlog.get_logger()


class Cleaner:
    """A child a piece of work, a few at a time: it happens when somebody asks to see images, or has written something."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def with_images(self, blobs: Blobs, user_id: UUID, blob: str, cid_address: str) -> str:
        """The fragment; `cid_address` stands before every inline image's id. Raises Refused when the child dies of it."""
        fragment = await self._message(blobs, user_id, blob, "shown", cid_address)
        if fragment is None:
            log.warning("message not cleaned with images", user_id=str(user_id), blob=blob)
            raise Refused(422, "not_cleaned", "This message is too odd to be shown with images. Read it without them.")
        return fragment

    async def edited(self, blobs: Blobs, user_id: UUID, blob: str) -> str:
        """A message that somebody goes on writing, with all its images. Raises Refused when the child dies of it."""
        fragment = await self._message(blobs, user_id, blob, "edited")
        if fragment is None:
            raise Refused(422, "not_cleaned", "This draft is too odd to be gone on with here.")
        return fragment

    async def quoted(self, blobs: Blobs, user_id: UUID, blob: str) -> str | None:
        """As documents keep it, but with remote images; None when the child dies of it."""
        return await self._message(blobs, user_id, blob, "quoted")

    async def written(self, html: str) -> str:
        """What a user wrote or pasted; images stay, inline ones as `cid:`. Raises Refused when the child dies of it."""
        if not html.strip():
            return ""
        async with self._turn:
            fragment = await _clean("written", stdin=PIPE, given=html.replace("\0", "").encode())
        if fragment is None:
            raise Refused(
                422,
                "not_cleaned",
                "This text can't be kept as it is. Take out what was pasted last, or paste it as text.",
            )
        return fragment

    async def _message(self, blobs: Blobs, user_id: UUID, blob: str, *arguments: str) -> str | None:
        async with self._turn, blobs.file(user_id, blob) as path:
            with path.open("rb") as raw:
                return await _clean(*arguments, stdin=raw)


async def _clean(*arguments: str, stdin: BinaryIO | int, given: bytes | None = None) -> str | None:
    """None when the child dies or takes too long."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "services.gateway.messages.cleaning_child", *arguments),
        stdin=stdin,
        stdout=PIPE,
        stderr=DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(DEADLINE):
            fragment, _ = await child.communicate(given)
    except TimeoutError:
        return None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return fragment.decode() if child.returncode == 0 else None
