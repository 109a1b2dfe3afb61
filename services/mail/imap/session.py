"""A logged-in connection: TLS, login, what the server can do, and its refusals as errors."""

import asyncio
import base64
import functools
import ssl
from collections.abc import Callable
from contextlib import suppress

from contracts.provider import MailboxStatus, ProviderAuthError, ProviderConnectError, ProviderError
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import errors, parse
from services.mail.imap.framer import Reply
from services.mail.imap.names import Literal, astring
from services.mail.imap.parse import Status
from services.mail.imap.wire import Answer, Limits, Wire

CLIENT_ID = b'("name" "webmail" "vendor" "webmail")'  # RFC 2971; some servers let nobody in without it
QRESYNC_BROKEN = (".me.com", ".icloud.com")  # malformed VANISHED replies there have made mail vanish
CHANGES = frozenset({"EXISTS", "EXPUNGE", "FETCH", "VANISHED"})


class Session:
    """One connection; `ended` is called once when it is over.

    `selected` is the mailbox it has open, as it was when it was opened.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, ended: Callable[[], None] = lambda: None) -> None:
        self.endpoint = endpoint
        self.wire = Wire(limits, self._pushed, ended)
        self.capabilities: frozenset[str] = frozenset()
        self.enabled: frozenset[str] = frozenset()
        self.selected: tuple[str, MailboxStatus] | None = None
        self.changed = False  # the server told of a change that nobody has asked about since

    @property
    def closed(self) -> bool:
        return self.wire.closed

    @property
    def condstore(self) -> bool:
        """RFC 7162 §3.1: MODSEQ and CHANGEDSINCE."""
        return bool(self.capabilities & {"CONDSTORE", "QRESYNC"})

    @property
    def qresync(self) -> bool:
        """RFC 7162 §3.2: VANISHED."""
        return "QRESYNC" in self.enabled

    @property
    def labelled(self) -> bool:
        """Gmail's extension: a mail is one message with labels, whatever mailboxes show it."""
        return "X-GM-EXT-1" in self.capabilities

    async def command(self, verb: str, *arguments: bytes | Literal) -> Answer:
        """An answer that is OK; NO and BAD are raised."""
        answer = await self.wire.execute(verb, *arguments)
        if answer.status.kind != "OK":
            raise errors.refused(answer.status, verb)
        return answer

    async def logout(self) -> None:
        """Says goodbye, but not for longer than a moment."""
        with suppress(ProviderError, TimeoutError):
            async with asyncio.timeout(2):
                await self.wire.execute("LOGOUT")
        self.wire.abort()

    # -- connecting

    async def open(self, credentials: Credentials, trust: ssl.SSLContext | None) -> None:
        """From nothing to logged in. Any failure leaves no connection behind."""
        try:
            greeting = await self._connect(trust)
            if greeting.kind != "PREAUTH":
                await self._log_in(credentials)
            await self._introduce()
        except BaseException:
            self.wire.abort()
            raise

    async def _connect(self, trust: ssl.SSLContext | None) -> Status:
        endpoint, limits = self.endpoint, self.wire.limits
        context = None if endpoint.tls == "none" else trust or system_trust()
        try:
            async with asyncio.timeout(limits.connect):
                await asyncio.get_running_loop().create_connection(
                    lambda: self.wire,
                    endpoint.host,
                    endpoint.port,
                    ssl=context if endpoint.tls == "ssl" else None,
                )
                greeting = await self.wire.greeting()
                self._learn(greeting)
                if endpoint.tls == "starttls" and context is not None:
                    await self._start_tls(greeting, context)
        except OSError as error:  # first: a refused certificate is a ValueError too
            raise errors.unconnected(error) from error
        except (ValueError, OverflowError):
            raise ProviderConnectError("unknown_host", "no such host name or port") from None
        return greeting

    async def _start_tls(self, greeting: Status, trust: ssl.SSLContext) -> None:
        """RFC 3501 §6.2.1. What was said in the clear is forgotten, and PREAUTH there is a trap (RFC 8314 §3)."""
        if greeting.kind == "PREAUTH":
            raise ProviderConnectError("tls_failed", "the server offers no TLS: it has let us in without asking")
        answer = await self.wire.execute("STARTTLS")
        if answer.status.kind != "OK":
            raise ProviderConnectError("tls_failed", errors.printable(answer.status.text) or "the server offers no TLS")
        await self.wire.start_tls(trust, self.endpoint.host)
        self.capabilities = frozenset()

    async def _log_in(self, credentials: Credentials) -> None:
        if not self.capabilities:
            await self._ask_capabilities()
        before, self.capabilities = self.capabilities, frozenset()  # they may be others afterwards
        username, password = credentials.username.encode(), credentials.password.encode()
        if b"\0" in username + password:
            raise ProviderAuthError("auth_failed", "a NUL is not allowed in a user name or password")
        token = base64.b64encode(b"\0" + username + b"\0" + password)
        if "AUTH=PLAIN" in before and "SASL-IR" in before:
            answer = await self.wire.execute("AUTHENTICATE", b"PLAIN", token)
        elif "AUTH=PLAIN" in before:
            answer = await self.wire.execute("AUTHENTICATE", b"PLAIN", answers=(token,))
        elif "LOGINDISABLED" in before:
            raise ProviderAuthError("login_disabled", "the server takes no password on this connection")
        else:
            answer = await self.wire.execute("LOGIN", astring(username), astring(password))
        if answer.status.kind != "OK":
            quoted = credentials.password.replace("\\", "\\\\").replace('"', '\\"')
            raise errors.login_refused(answer.status, (token.decode(), quoted, credentials.password))
        self._learn(answer.status, *answer.replies)

    async def _introduce(self) -> None:
        """ENABLE comes before the first SELECT, or that one tells no HIGHESTMODSEQ on some servers (RFC 7162 §3.1.2)."""
        if not self.capabilities:
            await self._ask_capabilities()
        if "ID" in self.capabilities:
            await self.wire.execute("ID", CLIENT_ID)
        if "ENABLE" not in self.capabilities:
            return
        wanted = "QRESYNC" if self._trusts_qresync() else "CONDSTORE"
        if wanted in self.capabilities:
            answer = await self.wire.execute("ENABLE", wanted.encode())
            for reply in answer.replies:
                if parse.head(reply)[1] == "ENABLED":
                    self.enabled |= {parse.atom(value).upper() for value in parse.untagged(reply).values}

    def _trusts_qresync(self) -> bool:
        return "QRESYNC" in self.capabilities and not f".{self.endpoint.host.lower()}".endswith(QRESYNC_BROKEN)

    async def _ask_capabilities(self) -> None:
        answer = await self.command("CAPABILITY")
        self._learn(answer.status, *answer.replies)

    def _learn(self, status: Status, *replies: Reply) -> None:
        """Capabilities come as a reply, or as a code of the greeting and of the answer to a login (RFC 3501 §7.2.1)."""
        words = status.argument.split() if status.code == "CAPABILITY" else []
        for reply in replies:
            _, name, rest = parse.head(reply)
            if name == "CAPABILITY":
                words = reply[0][rest:].split()
        if words:
            self.capabilities = frozenset(word.decode("latin-1").upper() for word in words)

    def _pushed(self, reply: Reply) -> None:
        self.changed = self.changed or tells_change(reply)


@functools.cache
def system_trust() -> ssl.SSLContext:
    """The system's certificate authorities, read once: that takes 30 ms and some memory."""
    return ssl.create_default_context()


def tells_change(reply: Reply) -> bool:
    """Whether a reply says that the selected mailbox is not what it was (not `* OK Still here`)."""
    return parse.head(reply)[1] in CHANGES
