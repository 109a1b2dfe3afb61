"""`rpc.sync.discover`: which servers an e-mail address has, and how we looked (§6.2)."""

import functools

import msgspec
import structlog

from services.log.connection import Connection
from services.mail.discovery.address import parse
from services.mail.discovery.candidates import Discovery
from services.mail.discovery.chain import discover
from services.mail.discovery.outside import Outside
from services.sync.serve import serve

SUBJECT = "rpc.sync.discover"

log = structlog.get_logger()


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway asks."""

    email: str


async def run(nc: Connection, outside: Outside) -> None:
    """Answer until cancelled."""
    await serve(nc, SUBJECT, functools.partial(_respond, outside))


async def _respond(outside: Outside, asked: bytes) -> bytes:
    """An address that is none has no steps."""
    try:
        address = parse(msgspec.json.decode(asked, type=Wish).email)
    except msgspec.MsgspecError as error:
        log.warning("discovery not understood", error=type(error).__name__)
        address = None
    if address is None:
        return msgspec.json.encode(Discovery(candidates=(), steps=()))
    found = await discover(address, outside)
    log.info("servers looked for", found=found.candidates[0].source if found.candidates else None)
    return msgspec.json.encode(found)
