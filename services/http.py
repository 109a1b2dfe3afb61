"""The one way in which this installation speaks HTTP to others (§10.6): over HTTPS, within reach, short and small.

A name is resolved once, its addresses are checked, and the connection goes to one that was checked, while the certificate is
still the name's. No proxy, cookie or credential of this machine takes part.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import httpcore
import msgspec

from contracts.provider import ProviderConnectError
from services.mail.dial import dial
from services.reach import Reach

SECONDS = 5.0
POST_SECONDS = 20.0
"""What is given up may have been done all the same, so a post is given longer."""

LIMIT = 256 << 10
REDIRECTS = 3
PORT = 443

_HEADERS = [(b"User-Agent", b"webmail"), (b"Accept", b"*/*"), (b"Accept-Encoding", b"identity")]
_FORM = [*_HEADERS, (b"Content-Type", b"application/x-www-form-urlencoded")]
_SENDING = "http11.send_request_headers.started"
_MOVED = frozenset({301, 302, 303, 307, 308})


class HttpError(Exception):
    """No answer that may be used: `not_https`, `off_domain`, `too_many_redirects`, `too_large`, `timeout`, `tls_failed`,
    `protocol`, or a code of `contracts.provider` that says why there was no connection. `detail` is for people.

    `sent`: the other side may have heard the request.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.sent = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Any status but a redirect. `retry_after`: the header's own words (RFC 9110 §10.2.3), mostly none."""

    status: int
    body: bytes
    retry_after: str = ""


class Http:
    """`trust` replaces the system's certificate authorities."""

    def __init__(self, reach: Reach, trust: ssl.SSLContext | None = None) -> None:
        self._reach = reach
        self._trust = trust or ssl.create_default_context()

    async def get(self, url: str, *, within: str | None = None) -> Answer:
        """`within`: the domain that redirects must stay in, else the URL's host. Raises HttpError."""
        with _told(SECONDS):
            async with asyncio.timeout(SECONDS):
                return await self._follow(url, within or urlsplit(url).hostname or "")

    async def post(self, url: str, form: Mapping[str, str]) -> Answer:
        """Once, and to this URL only. Raises HttpError."""
        sent = False

        async def trace(event: str, _: Any) -> None:
            nonlocal sent
            sent = sent or event == _SENDING

        try:
            with _told(POST_SECONDS):
                async with asyncio.timeout(POST_SECONDS), self._pool() as pool:
                    _check(url, urlsplit(url).hostname or "")
                    asked = {"headers": _FORM, "content": urlencode(form).encode(), "extensions": {"trace": trace}}
                    return _unmoved(await _asked(pool, "POST", url, **asked))
        except HttpError as error:
            error.sent = sent
            raise

    def _pool(self) -> httpcore.AsyncConnectionPool:
        return httpcore.AsyncConnectionPool(self._trust, network_backend=_Network(self._reach))

    async def _follow(self, url: str, within: str) -> Answer:
        async with self._pool() as pool:
            for _ in range(REDIRECTS + 1):
                _check(url, within)
                answer = await _asked(pool, "GET", url, headers=_HEADERS)
                if isinstance(answer, Answer):
                    return answer
                url = urljoin(url, answer)
        raise HttpError("too_many_redirects", f"more than {REDIRECTS} redirects")


@contextmanager
def _told(seconds: float) -> Iterator[None]:
    """Whatever goes wrong, as an HttpError."""
    try:
        yield
    except (TimeoutError, httpcore.TimeoutException):
        raise HttpError("timeout", f"no answer within {seconds:.0f} s") from None
    except ProviderConnectError as error:
        raise HttpError(error.code, error.detail) from None
    except ssl.SSLCertVerificationError as error:
        raise HttpError("tls_failed", f"the server's certificate: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise HttpError("tls_failed", f"no TLS there: {error.reason or 'handshake failed'}") from None
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, ValueError):
        raise HttpError("protocol", "what answers there does not speak HTTP") from None
    except (httpcore.NetworkError, OSError):
        raise HttpError("connection_lost", "the connection was lost") from None


def _check(url: str, within: str) -> None:
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.scheme != "https" or parts.username is not None or (parts.port or PORT) != PORT:
        raise HttpError("not_https", f"only HTTPS on port {PORT}")
    if host != within.lower() and not host.endswith(f".{within.lower()}"):
        raise HttpError("off_domain", "a redirect to another domain")


async def _asked(pool: httpcore.AsyncConnectionPool, method: str, url: str, **request: Any) -> Answer | str:
    """The answer, or where it says to look."""
    async with pool.stream(method, url, **request) as response:
        headers = {name.lower(): value for name, value in response.headers}
        if response.status in _MOVED and b"location" in headers:
            return headers[b"location"].decode("ascii")
        if headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
            raise HttpError("protocol", "it is compressed although we asked for it as it is")  # and could be a bomb
        body = bytearray()
        async for chunk in response.aiter_stream():
            body += chunk
            if len(body) > LIMIT:
                raise HttpError("too_large", f"more than {LIMIT >> 10} kB")
        later = headers.get(b"retry-after", b"").decode("ascii", "replace")
        return Answer(status=response.status, body=bytes(body), retry_after=later)


def _unmoved(answer: Answer | str) -> Answer:
    if isinstance(answer, str):
        raise HttpError("protocol", "a redirect where an answer was expected")
    return answer


class _Network(httpcore.AsyncNetworkBackend):
    """Connections for httpcore, by our own dialling."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,  # noqa: ARG002 - the signature is httpcore's
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002 - the signature is httpcore's
    ) -> httpcore.AsyncNetworkStream:
        connection = await dial(host, port, timeout or SECONDS, self._reach)
        return _Stream(*await _streams(connection))


async def _streams(connection: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await asyncio.open_connection(sock=connection)
    except BaseException:
        connection.close()
        raise


class _Stream(httpcore.AsyncNetworkStream):
    """The deadline of the whole request bounds every wait, so none here has one of its own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 - httpcore's
        return await self._reader.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - httpcore's
        self._writer.write(buffer)
        await self._writer.drain()

    async def aclose(self) -> None:
        self._writer.transport.abort()  # a goodbye would wait for theirs

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - the signature is httpcore's
    ) -> httpcore.AsyncNetworkStream:
        await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._writer.get_extra_info(info)
