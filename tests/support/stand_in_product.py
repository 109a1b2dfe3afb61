"""The whole product in the small Internet of `stand_ins`: four providers, and a sync process that is in it too."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from services.embedded.child import Child
from services.embedded.up import Installation
from tests.support.beside import beside
from tests.support.dovecot import Dovecot, User
from tests.support.stand_ins import Internet, Map, internet, page

PRESET, AUTOCONFIG, SRV, MANUAL = PEOPLE = (
    User("anna@onet.pl", "of anna 1234"),
    User("ben@autoconfig-only.example", "of ben 1234"),
    User("cleo@srv-only.example", "of cleo 1234"),
    User("dan@manual.example", "of dan 1234"),
)
MANUAL_HOST = "secret.manual.example"
_SYNC = Path(__file__).parent / "sync_in_stand_ins.py"
_CONFIG = b"""<clientConfig version="1.1"><emailProvider id="x"><displayName>Autoconfig Only</displayName>
<incomingServer type="imap"><hostname>imap.%EMAILDOMAIN%</hostname><port>993</port><socketType>SSL</socketType>
<username>%EMAILADDRESS%</username><authentication>password-cleartext</authentication></incomingServer>
<outgoingServer type="smtp"><hostname>smtp.%EMAILDOMAIN%</hostname><port>465</port><socketType>SSL</socketType>
<username>%EMAILADDRESS%</username><authentication>password-cleartext</authentication></outgoingServer>
</emailProvider></clientConfig>"""


def enrolled(*others: User) -> Dovecot:
    """The mail server behind all four, and whoever else has mail there, not yet started."""
    server = Dovecot()
    with (server.root / "users").open("a", encoding="utf-8") as file:
        file.writelines(f"{user.name}:{{PLAIN}}{user.password}::::::\n" for user in (*PEOPLE, *others))
    return server


def providers(
    dovecot: Dovecot, more: Callable[[Internet], Awaitable[None]] | None = None
) -> contextlib.AbstractContextManager[Map]:
    """The four, and what else there is to be, served by a thread of their own."""
    return beside(_providers(dovecot, more))


@contextlib.asynccontextmanager
async def _providers(dovecot: Dovecot, more: Callable[[Internet], Awaitable[None]] | None) -> AsyncIterator[Map]:
    async with internet() as net:
        await _four(net, dovecot.port)
        if more is not None:
            await more(net)
        yield net.map


class StandInInstallation(Installation):
    """As `webmail up` runs it, but for the world that sync is in."""

    map: Map

    def _child(self, name: str, arguments: list[str], environ: Mapping[str, str]) -> Child:
        if name != "sync":
            return super()._child(name, arguments, environ)
        there = {"STAND_INS": msgspec.json.encode(self.map).decode(), "PYTHONPATH": str(_SYNC.parents[2])}
        return super()._child(name, [str(_SYNC)], {**environ, **there})


def installation_in(map_: Map) -> type[Installation]:
    """Makes installations in that Internet."""
    return type("InstallationThere", (StandInInstallation,), {"map": map_})


async def _four(net: Internet, imap: int) -> None:
    await _mail(net, imap, "imap.poczta.onet.pl", "smtp.poczta.onet.pl")
    await net.website("autoconfig.autoconfig-only.example", {"/mail/config-v1.1.xml": page(_CONFIG)})
    await _mail(net, imap, "imap.autoconfig-only.example", "smtp.autoconfig-only.example")
    net.add("_imaps._tcp.srv-only.example", "SRV", "0 0 993 one.srv-only.example.")
    net.add("_submissions._tcp.srv-only.example", "SRV", "0 0 465 two.srv-only.example.")
    await _mail(net, imap, "one.srv-only.example", "two.srv-only.example")
    await _mail(net, imap, MANUAL_HOST, f"smtp.{MANUAL_HOST}")


async def _mail(net: Internet, imap: int, imap_host: str, smtp_host: str) -> None:
    await piped_host(net, imap, imap_host)
    await net.serve(smtp_host, 465, submission, net.authority.server([smtp_host]))


async def piped_host(net: Internet, imap: int, imap_host: str) -> None:
    """An IMAP server over TLS in front of that local port."""

    async def behind(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", imap)
        await asyncio.gather(_piped(reader, inner_writer), _piped(inner_reader, writer))

    await net.serve(imap_host, 993, behind, net.authority.server([imap_host]))


async def _piped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()


async def submission(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Lets in whoever the mail server lets in (RFC 4954), and takes nothing."""
    good = {base64.b64encode(f"\0{user.name}\0{user.password}".encode()) for user in PEOPLE}
    writer.write(b"220 stand-in ESMTP\r\n")
    while line := await reader.readline():
        words = line.split()
        match words[0].upper():
            case b"EHLO":
                writer.write(b"250-stand-in\r\n250 AUTH PLAIN\r\n")
            case b"AUTH" if words[-1] in good:
                writer.write(b"235 2.7.0 welcome\r\n")
            case b"AUTH":
                writer.write(b"535 5.7.8 authentication failed\r\n")
            case b"QUIT":
                writer.write(b"221 bye\r\n")
                return
            case _:
                writer.write(b"502 not here\r\n")
