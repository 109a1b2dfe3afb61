"""A message's HTML with remote images: cleaned again from the raw bytes, which only a child may parse (design §5)."""

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
    """A child a message, a few at a time: it happens when somebody asks to see images."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def with_images(self, blobs: Blobs, user_id: UUID, blob: str, cid_address: str) -> str:
        """The fragment; `cid_address` stands before every inline image's id. Raises Refused when the child dies of it."""
        async with self._turn, blobs.file(user_id, blob) as path:
            with path.open("rb") as raw:
                fragment = await _clean(raw, cid_address)
        if fragment is None:
            log.warning("message not cleaned with images", user_id=str(user_id), blob=blob)
            raise Refused(422, "not_cleaned", "This message is too odd to be shown with images. Read it without them.")
        return fragment


async def _clean(raw: BinaryIO, cid_address: str) -> str | None:
    """None when the child dies or takes too long."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "services.gateway.messages.cleaning_child", cid_address),
        stdin=raw,
        stdout=PIPE,
        stderr=DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(DEADLINE):
            fragment, _ = await child.communicate()
    except TimeoutError:
        return None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return fragment.decode() if child.returncode == 0 else None
