"""The usual names and ports, tried all at once: whoever greets as a mail server, with a certificate of that name, is found."""

import asyncio
import re
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from contracts.provider import ProviderConnectError
from services.mail.dial import dial
from services.mail.discovery.address import Address
from services.mail.discovery.candidates import Candidate, Nothing, Server
from services.reach import Reach

SECONDS = 5.0
_LINES = 50
Kind = Literal["imap", "smtp"]


class Door(NamedTuple):
    kind: Kind
    host: str
    port: int
    tls: Literal["ssl", "starttls"]


async def look(address: Address, reach: Reach, trust: ssl.SSLContext) -> Candidate:
    """TLS from the first byte before STARTTLS (RFC 8314 §3), then in the order of the names. Raises Nothing."""
    doors = doors_of(address.domain)
    open_ones = await asyncio.gather(*(_is_open(door, reach, trust) for door in doors))
    found = [door for door, is_open in zip(doors, open_ones, strict=True) if is_open]
    imap, smtp = (_server("imap", found, address), _server("smtp", found, address))
    if imap is None:
        raise Nothing(
            "no mail server at " + ", ".join(dict.fromkeys(door.host for door in doors if door.kind == "imap"))
        )
    return Candidate(source="probe", origin=address.domain, imap=imap, smtp=smtp)


def doors_of(domain: str) -> list[Door]:
    """The best first."""
    imap = [
        Door("imap", f"{name}.{domain}", *way) for way in ((993, "ssl"), (143, "starttls")) for name in ("imap", "mail")
    ]
    smtp = [
        Door("smtp", f"{name}.{domain}", *way) for way in ((465, "ssl"), (587, "starttls")) for name in ("smtp", "mail")
    ]
    return [*imap, *smtp]


def _server(kind: Kind, found: Sequence[Door], address: Address) -> Server | None:
    door = next((door for door in found if door.kind == kind), None)
    return door and Server(host=door.host, port=door.port, tls=door.tls, username=address.whole)


async def _is_open(door: Door, reach: Reach, trust: ssl.SSLContext) -> bool:
    with suppress(ProviderConnectError, OSError, TimeoutError, EOFError, ValueError, asyncio.LimitOverrunError):
        async with asyncio.timeout(SECONDS):
            return await _greets(door, reach, trust)
    return False


async def _greets(door: Door, reach: Reach, trust: ssl.SSLContext) -> bool:
    connection = await dial(door.host, door.port, SECONDS, reach)
    at_once = door.tls == "ssl"
    try:
        reader, writer = await asyncio.open_connection(
            sock=connection, ssl=trust if at_once else None, server_hostname=door.host if at_once else None
        )
    except BaseException:
        connection.close()
        raise
    try:
        if not await _said(reader, rb"\* OK\b" if door.kind == "imap" else rb"220 "):
            return False
        if door.tls == "starttls":
            await _start_tls(door, reader, writer)
            await writer.start_tls(trust, server_hostname=door.host)
        return True
    finally:
        writer.transport.abort()


async def _start_tls(door: Door, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """RFC 3501 §6.2.1, RFC 3207 §4. Raises ValueError when it is refused."""
    if door.kind == "imap":
        writer.write(b"a STARTTLS\r\n")
        if not await _said(reader, rb"a OK\b"):
            raise ValueError("no STARTTLS")
        return
    writer.write(b"EHLO localhost\r\n")
    if not await _said(reader, rb"250 "):
        raise ValueError("no EHLO")
    writer.write(b"STARTTLS\r\n")
    if not await _said(reader, rb"220 "):
        raise ValueError("no STARTTLS")


async def _said(reader: asyncio.StreamReader, wanted: bytes) -> bool:
    """Whether the answer ends well: its lines before the last are those with `-` (SMTP) or `*` (IMAP, after a command)."""
    for _ in range(_LINES):
        line = await reader.readline()
        if re.match(wanted, line, re.IGNORECASE):
            return True
        if not re.match(rb"\d{3}-|\* ", line):
            return False
    return False
