"""A logged-in connection: TLS, login, what the server can do, and its refusals as errors."""

import asyncio
import functools
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import structlog

from contracts.provider import MailboxStatus, ProviderConnectError, ProviderError, ProviderProtocolError
from services.mail.dial import dial
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import errors, names, parse
from services.mail.imap.framer import Reply
from services.mail.imap.login import log_in
from services.mail.imap.names import Literal
from services.mail.imap.parse import Status
from services.mail.imap.wire import Answer, Limits, Wire
from services.reach import ANYWHERE, Reach

CLIENT_ID = b'("name" "webmail" "vendor" "webmail")'  # RFC 2971; some servers let nobody in without it
QRESYNC_BROKEN = (".me.com", ".icloud.com")  # malformed VANISHED replies there have made mail vanish
CHANGES = frozenset({"EXISTS", "EXPUNGE", "FETCH", "VANISHED"})

T = TypeVar("T")

log = structlog.get_logger()


class Session:
    """One connection; `ended` is called once when it is over.

    `selected` is the mailbox it has open, as it was when it was opened; `waited`: for whose changes it has waited and done
    nothing else since. `broken` are extensions that the server announces
    and was seen not to have; the set is shared by all sessions of an account.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        ended: Callable[[], None] | None = None,
        broken: set[str] | None = None,
        reach: Reach = ANYWHERE,
    ) -> None:
        self.endpoint = endpoint
        self._reach = reach
        self.wire = Wire(limits, self._pushed, ended or (lambda: None))
        self.capabilities: frozenset[str] = frozenset()
        self.enabled: frozenset[str] = frozenset()
        self.broken: set[str] = set() if broken is None else broken
        self.selected: tuple[str, MailboxStatus] | None = None
        self.waited = ""
        self.foreign: tuple[str, ...] | None = None  # prefixes of names that are not this user's own, once asked
        self.changed = False  # the server told of a change that nobody has asked about since
        self.cyrus = False  # by its own words (RFC 2971)

    @property
    def closed(self) -> bool:
        return self.wire.closed

    def can(self, extension: str) -> bool:
        return extension in self.capabilities and extension not in self.broken

    @property
    def condstore(self) -> bool:
        """RFC 7162 §3.1: MODSEQ and CHANGEDSINCE."""
        return "CONDSTORE" not in self.broken and bool(self.capabilities & {"CONDSTORE", "QRESYNC"})

    @property
    def qresync(self) -> bool:
        """RFC 7162 §3.2: VANISHED."""
        return self.condstore and "QRESYNC" in self.enabled and self.can("QRESYNC")

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

    async def using(self, extension: str, way: Callable[[], Awaitable[T]], plain: Callable[[], Awaitable[T]]) -> T:
        """By `way`; by `plain` when it turns out that the server announces what it breaks, and from then on (see `can`)."""
        try:
            return await way()
        except (errors.Misunderstood, ProviderProtocolError):
            self.broken.add(extension)
            log.info("server breaks what it announces", extension=extension)
            if self.closed:
                raise
        return await plain()

    def name(self, path: str) -> bytes | Literal:
        """A mailbox's path as an argument."""
        return names.astring(names.encode(path, utf8=self.utf8), utf8=self.utf8)

    def path(self, name: parse.Value) -> str:
        return names.decode(parse.string(name), utf8=self.utf8)

    @property
    def utf8(self) -> bool:
        """RFC 6855: names are UTF-8, and so are searches."""
        return "UTF8=ACCEPT" in self.enabled

    async def logout(self) -> None:
        """Says goodbye, but not for longer than a moment."""
        with suppress(ProviderError, TimeoutError):
            async with asyncio.timeout(2):
                await self.wire.execute("LOGOUT")
        self.wire.abort()

    # -- connecting

    async def open(self, credentials: Credentials, trust: ssl.SSLContext | None) -> None:
        """From nothing to logged in. Any failure leaves no connection behind."""
        await self.enter(await self.connect(trust), credentials)

    async def connect(self, trust: ssl.SSLContext | None) -> Status:
        """The greeting, over TLS where it was asked for. Any failure leaves no connection behind."""
        with self._aborted_on_failure():
            return await self._connect(trust)

    async def enter(self, greeting: Status, credentials: Credentials) -> None:
        """Logged in after it. Any failure leaves no connection behind."""
        limits = self.wire.limits
        with self._aborted_on_failure():
            try:
                async with asyncio.timeout(limits.login):
                    if greeting.kind != "PREAUTH":
                        await self._log_in(credentials)
                    await self._introduce()
            except TimeoutError:
                raise errors.endless("the login", limits.login) from None

    @contextmanager
    def _aborted_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.wire.abort()
            raise

    async def _connect(self, trust: ssl.SSLContext | None) -> Status:
        endpoint, limits = self.endpoint, self.wire.limits
        context = None if endpoint.tls == "none" else trust or system_trust()
        at_once = endpoint.tls == "ssl"
        connection = await dial(endpoint.host, endpoint.port, limits.connect, self._reach)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: self.wire,
                sock=connection,
                ssl=context if at_once else None,
                server_hostname=endpoint.host if at_once else None,
                ssl_handshake_timeout=limits.tls if at_once else None,
            )
            async with asyncio.timeout(limits.connect):
                greeting = await self.wire.greeting()
            self._learn(greeting)
            if endpoint.tls == "starttls" and context is not None:
                await self._start_tls(greeting, context)
        except OSError as error:  # first: a refused certificate is a ValueError too
            raise errors.unconnected(error) from error
        except ValueError:
            raise ProviderConnectError("unknown_host", "no such host name") from None
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
        answer = await log_in(self.wire, before, self.endpoint, credentials)
        self._learn(answer.status, *answer.replies)

    async def _introduce(self) -> None:
        """ENABLE comes before the first SELECT, or that one tells no HIGHESTMODSEQ on some servers (RFC 7162 §3.1.2)."""
        if not self.capabilities:
            await self._ask_capabilities()
        self.wire.small_literals = bool(self.capabilities & {"LITERAL+", "LITERAL-"})
        if "ID" in self.capabilities:
            answer = await self.wire.execute("ID", CLIENT_ID)
            self.cyrus = any(b"cyrus" in segment.lower() for reply in answer.replies for segment in reply)
        wanted = ["QRESYNC" if self._trusts_qresync() else "CONDSTORE"] if self.condstore else []
        wanted += ["UTF8=ACCEPT"] if self.capabilities & {"UTF8=ACCEPT", "UTF8=ONLY"} else []
        if not wanted or "ENABLE" not in self.capabilities:
            return
        answer = await self.wire.execute("ENABLE", " ".join(wanted).encode())
        for reply in answer.replies:
            if parse.head(reply)[1] == "ENABLED":
                self.enabled |= {parse.atom(value).upper() for value in parse.untagged(reply).values}

    def _trusts_qresync(self) -> bool:
        return self.can("QRESYNC") and not f".{self.endpoint.host.lower()}".endswith(QRESYNC_BROKEN)

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
