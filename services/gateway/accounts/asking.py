"""Asking sync, the only one that speaks to mail servers."""

from typing import TypeVar

import msgspec
import nats.errors

from services.gateway.deps import Gateway
from services.gateway.errors import Refused
from services.log.errors import LogError

Answer = TypeVar("Answer", bound=msgspec.Struct)


async def ask(parts: Gateway, subject: str, wish: msgspec.Struct, answer: type[Answer], *, patience: float) -> Answer:
    """Within `patience` seconds. Raises Refused, also for an answer that makes no sense."""
    try:
        reply = await parts.log.request(subject, msgspec.json.encode(wish), timeout=patience)
        return msgspec.json.decode(reply.data, type=answer)
    except (nats.errors.Error, LogError, msgspec.MsgspecError, OSError):
        raise Refused(
            503, "sync_unavailable", "The part that speaks to mail servers does not answer. Try again in a minute."
        ) from None
