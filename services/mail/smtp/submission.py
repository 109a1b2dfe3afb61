"""One message is submitted over one connection (RFC 6409); nothing is sent before the content is."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Literal, Self, cast

import aiosmtplib
from aiosmtplib import SMTP, SMTPResponse

from contracts.provider import (
    MailboxError,
    ProviderConnectError,
    ProviderError,
    ProviderNotSupported,
    ProviderProtocolError,
    RecipientsRefused,
    Refusal,
)
from services.mail.budget import Places
from services.mail.compose.secrecy import header, without_bcc
from services.mail.endpoint import Credentials, Endpoint
from services.mail.smtp.verify import TIMEOUT, connected, log_in, printable, translated
from services.reach import ANYWHERE, Reach

ANSWER = 60.0
"""Seconds for an answer that a server may have to think about (RFC 5321 §4.5.3.2), and of an upload beside its size."""

SLOWEST = 50_000
"""Bytes a second, below which an upload is given up."""

CHUNK = 64 << 10


class Submission:
    """`places` gives its connection a place at the host, `trust` replaces the system's certificate authorities, `reach` says
    which addresses it may connect to. Used once, as a context manager.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        places: Places,
        *,
        trust: ssl.SSLContext | None = None,
        reach: Reach = ANYWHERE,
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._places = places
        self._trust = trust
        self._reach = reach
        self._stack = AsyncExitStack()
        self._raw = b""
        self._smtp: SMTP | None = None
        self._writer: asyncio.StreamWriter | None = None  # kept: one that is forgotten closes the connection

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def envelope(self, raw: bytes, *, envelope_from: str, envelope_to: Sequence[str]) -> Mapping[str, Refusal]:
        self._raw = without_bcc(raw)
        smtp = self._smtp = await self._open()
        utf8 = not all(map(str.isascii, (envelope_from, *envelope_to))) or not header(self._raw).isascii()
        options = self._options(smtp, utf8=utf8)
        answer = await self._say(smtp, b"MAIL", b"FROM:" + _path(envelope_from), *options)
        if answer.code != aiosmtplib.SMTPStatus.completed:
            raise self._refused(answer)
        refused: dict[str, Refusal] = {}
        for recipient in envelope_to:
            answer = await self._say(smtp, b"RCPT", b"TO:" + _path(recipient))
            if answer.code not in (250, 251, 252):
                refused[recipient] = Refusal(code=answer.code, text=self._words(answer))
        if len(refused) == len(envelope_to):
            raise RecipientsRefused(refused)
        return refused

    async def content(self) -> Literal["accepted", "unconfirmed"]:
        if self._smtp is None:
            raise AssertionError("the envelope comes first")
        smtp, stuffed = self._smtp, await asyncio.to_thread(dot_stuffed, self._raw)
        answer = await self._say(smtp, b"DATA")
        if answer.code != aiosmtplib.SMTPStatus.start_input:
            raise self._refused(answer)
        try:
            answer = await self._upload(smtp, stuffed)
        except BaseException as error:
            _hang_up(smtp)
            if isinstance(error, aiosmtplib.SMTPException | OSError):
                return "unconfirmed"
            raise
        if answer.code // 100 in (4, 5):
            raise self._refused(answer)
        return "accepted" if answer.code // 100 == 2 else "unconfirmed"

    async def _open(self) -> SMTP:
        self._stack.callback(await self._places.take(self._endpoint.host, TIMEOUT))
        smtp = await self._stack.enter_async_context(connected(self._endpoint, self._trust, self._reach))
        await log_in(smtp, self._credentials)
        return smtp

    def _options(self, smtp: SMTP, *, utf8: bool) -> list[bytes]:
        """Of MAIL: SIZE (RFC 1870), BODY (RFC 6152) and SMTPUTF8 (RFC 6531), as the server has them and the message needs them."""
        options = []
        if smtp.supports_extension("size"):
            most = smtp.esmtp_extensions["size"]
            if most.isdecimal() and 0 < int(most) < len(self._raw):
                raise MailboxError("rejected", f"the server takes messages of at most {most} bytes")
            options.append(b"SIZE=%d" % len(self._raw))
        if not self._raw.isascii() and smtp.supports_extension("8bitmime"):
            options.append(b"BODY=8BITMIME")
        if utf8:
            if not smtp.supports_extension("smtputf8"):
                raise ProviderNotSupported("not_supported", "the server takes no addresses beyond ASCII (SMTPUTF8)")
            options.append(b"SMTPUTF8")
        return options

    async def _say(self, smtp: SMTP, *command: bytes) -> SMTPResponse:
        with translated(self._credentials):
            return await smtp.execute_command(*command, timeout=ANSWER)

    async def _upload(self, smtp: SMTP, stuffed: bytes) -> SMTPResponse:
        protocol = smtp.protocol
        if protocol is None:
            raise aiosmtplib.SMTPServerDisconnected("Connection lost")
        transport = cast(asyncio.WriteTransport, smtp.transport)
        writer = self._writer = asyncio.StreamWriter(transport, protocol, None, asyncio.get_running_loop())
        async with asyncio.timeout(ANSWER + len(stuffed) / SLOWEST):
            answered = asyncio.create_task(protocol.read_response())
            try:
                await asyncio.sleep(0)  # it listens from here on
                for start in range(0, len(stuffed), CHUNK):
                    if answered.done():
                        return _in_the_middle(smtp, answered.result())
                    writer.write(stuffed[start : start + CHUNK])
                    await writer.drain()
                return await answered
            finally:
                answered.cancel()
                await asyncio.gather(answered, return_exceptions=True)

    def _refused(self, answer: SMTPResponse) -> ProviderError:
        """RFC 5321 §4.2.1: 4 may pass, 5 won't."""
        match answer.code // 100:
            case 4:
                return ProviderConnectError("unavailable", self._words(answer))
            case 5:
                return MailboxError("rejected", self._words(answer))
        return ProviderProtocolError("protocol", self._words(answer))

    def _words(self, answer: SMTPResponse) -> str:
        said = f"{answer.code} {answer.message}"
        return printable(aiosmtplib.SMTPResponseException(answer.code, said), self._credentials)


def _in_the_middle(smtp: SMTP, answer: SMTPResponse) -> SMTPResponse:
    """A server may refuse before it has everything; it can't accept."""
    _hang_up(smtp)
    if answer.code // 100 not in (4, 5):
        raise aiosmtplib.SMTPServerDisconnected("answered in the middle of the content")
    return answer


def _hang_up(smtp: SMTP) -> None:
    """At once, whatever the server has not taken yet: nobody knows what it would make of a QUIT."""
    if smtp.transport is not None:
        cast(asyncio.WriteTransport, smtp.transport).abort()
    smtp.close()


def dot_stuffed(raw: bytes) -> bytes:
    """With its end (RFC 5321 §4.5.2)."""
    stuffed = raw.replace(b"\r\n.", b"\r\n..")
    dot = b"." if raw.startswith(b".") else b""
    return dot + stuffed + (b".\r\n" if raw.endswith(b"\r\n") else b"\r\n.\r\n")


def _path(address: str) -> bytes:
    """In angle brackets, and nothing else in the command."""
    if not address or any(char in "<>\0\r\n" for char in address):
        raise MailboxError("rejected", "not an address that can be written to a server")
    return b"<" + address.encode() + b">"
