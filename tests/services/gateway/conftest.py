"""A whole gateway over real servers, and browsers that speak to it."""

import asyncio
import base64
import dataclasses
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import msgspec
import psycopg
import pytest
from argon2 import PasswordHasher
from litestar import Litestar

from contracts.facts import Fact, MessageArrived, SpecialUse
from contracts.streams import Role
from projections import catalog, sql
from projections.documents import memo, read
from projections.sql import Pool
from services import config, vault
from services.blobs import open_blobs
from services.embedded.nats import NatsServer
from services.gateway.accounts.proof import Proofs
from services.gateway.app import app
from services.gateway.auth.passwords import Passwords
from services.gateway.deps import Gateway, as_user
from services.gateway.messages.cleaning import Cleaner
from services.gateway.messages.opening import Opener
from services.gateway.realtime.hub import Hub
from services.gateway.security import session_cookies
from services.gateway.static.bundle import load
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from services.log.apply import apply
from services.log.connection import Connection, connect
from services.parsing.pool import parse_pool
from services.positions import Positions
from services.state import accounts, sessions, users
from services.state.accounts import Endpoint
from services.state.prepare import prepare
from services.state.settings import DEFAULT
from tests.support.given import Account, Given
from tests.support.postgres_server import Postgres

ORIGIN = "https://mail.test"
PASSWORD = "correct horse battery"
SYNC_KEY = bytes(range(32))
PARTITIONS = 1


@pytest.fixture(scope="session")
def gateway_nats() -> Iterator[NatsServer]:
    """A log of our own, with as many partitions as our settings say."""
    with tempfile.TemporaryDirectory(prefix="wm-gw-") as folder:
        server = NatsServer(Path(folder))
        server.start()
        yield server
        server.stop()


@pytest.fixture(scope="session")
async def log(gateway_nats: NatsServer) -> AsyncIterator[Connection]:
    connection = await connect(gateway_nats.url, Role.GATEWAY)
    await apply(connection, PARTITIONS, 1)
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
def prepared(postgres: Postgres, migrated_template: str) -> Iterator[str]:
    """A database with every schema that a gateway reads."""
    with postgres.fresh(migrated_template) as dsn:
        asyncio.run(prepare(dsn, catalog.ALL, PARTITIONS))
        yield dsn


@pytest.fixture
def database(prepared: str) -> str:
    """Its DSN for its owner, without rows: emptying one is cheaper than cloning one for each of a few hundred tests."""
    with psycopg.connect(prepared) as db:
        tables = db.execute(
            "SELECT format('DELETE FROM %I.%I;', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'control')"
        ).fetchall()
        db.execute("".join(statement for (statement,) in tables).encode())
        db.execute("UPDATE control.positions SET sequence = 0")
    return prepared


@pytest.fixture(scope="session")
def web_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle as a build leaves it."""
    root = tmp_path_factory.mktemp("web") / "dist"
    (root / "assets").mkdir(parents=True)
    (root / "index.html").write_text("<!doctype html><title>Webmail</title>")
    (root / "favicon.svg").write_text("<svg/>")
    (root / "assets" / "app-Ab3dE_9x.js").write_text("plain")
    (root / "assets" / "app-Ab3dE_9x.js.br").write_bytes(b"brotli")
    (root / "assets" / "app-Ab3dE_9x.js.gz").write_bytes(b"gzip")
    return root


@pytest.fixture(scope="session")
def known(postgres: Postgres, prepared: str, gateway_nats: NatsServer, web_root: Path) -> config.Settings:
    """The settings of a gateway process, with its own role's password."""
    return config.settings(
        {
            "DATABASE_URL": postgres.dsn_as("gateway", prepared),
            "NATS_URL": gateway_nats.url,
            "BLOB_ROOT": str(web_root.parent / "blobs"),
            "PARTITIONS": str(PARTITIONS),
            "APP_DOMAIN": "mail.test",
            "WEB_ROOT": str(web_root),
            "OAUTH_MS_CLIENT_ID": "webmail-client",
            "IDENTITY_KEY": base64.b64encode(bytes(32)).decode(),
            "SYNC_PUBLIC_KEY": base64.b64encode(vault.public_key(SYNC_KEY)).decode(),
        }
    )


@pytest.fixture(scope="session")
async def process(log: Connection, known: config.Settings) -> AsyncIterator[Gateway]:
    """The parts of one gateway process, as its own role."""
    assert known.identity_key is not None
    assert known.sync_public_key is not None
    async with asyncpg.create_pool(known.database_url, min_size=1, max_size=8) as db, parse_pool(1, "opened") as parser:
        blobs = open_blobs(known)
        yield Gateway(
            settings=known,
            identity_key=known.identity_key,
            sync_public_key=known.sync_public_key,
            db=db,
            log=log,
            blobs=blobs,
            hub=Hub(log, db, known.database_url),
            positions=Positions(db, known.database_url, PARTITIONS),
            passwords=Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
            bundle=load(known.web_root),
            opener=Opener(blobs, parser),
            cleaner=Cleaner(),
            jobs=Jobs(log, Limits.of(known)),
            proofs=Proofs(),
        )


@pytest.fixture
def parts(process: Gateway, database: str) -> Gateway:
    """The same over an empty database."""
    return process


class Mail:
    """The mail of one user, told as facts and folded as the projector folds it; blobs and documents are where it left them."""

    def __init__(self, parts: Gateway, owner: Pool, user_id: UUID, account_id: UUID) -> None:
        self.account = Account(user_id, account_id)
        self._parts = parts
        self.owner = owner
        self._given = Given(owner, catalog.ALL, self.account.documents)

    @property
    def position(self) -> int:
        return len(self._given.log.facts)

    async def told(self, *facts: Fact | list[Fact]) -> None:
        await self._given(*facts)

    async def arrived(self, raw: bytes, path: str = "INBOX", *, remembered: bool = True, **how: Any) -> str:
        """A message is in a mailbox; gives its id. `remembered`: its document is in the memo."""
        fact = self.account.arrived(raw, path, **how)
        assert isinstance(fact, MessageArrived)
        await self._parts.blobs.put(self.account.user_id, [raw])
        if remembered:
            document = memo.encode(read(raw, html=False))
            await memo.put(self.owner, self.account.user_id, {fact.blob: document})
        await self.told(fact)
        return str(fact.message_id)


@pytest.fixture(scope="session")
async def owner(prepared: str) -> AsyncIterator[Pool]:
    """The database as its owner, who stands for the projector here."""
    async with asyncpg.create_pool(prepared, min_size=1, max_size=4, init=sql.types) as pool:
        yield pool


@pytest.fixture
def mail_of(parts: Gateway, owner: Pool) -> Callable[..., Awaitable[Mail]]:
    """Gives a signed-in user an account with an empty inbox."""

    async def make(me: dict[str, Any], email: str = "anna@example.org") -> Mail:
        user_id = UUID(me["user_id"])
        async with as_user(parts.db, user_id) as db:
            server = Endpoint(host="imap.example.org", port=993, tls="ssl", username=email)
            account_id = await accounts.add(
                db, user_id, email=email, display_name="", color=None, imap=server, smtp=None
            )
            await accounts.settle(db, user_id, account_id)
        mail = Mail(parts, owner, user_id, account_id)
        await mail.told(mail.account.connected(), mail.account.mailbox("INBOX", SpecialUse.INBOX))
        return mail

    return make


@pytest.fixture(scope="session")
async def running(process: Gateway) -> AsyncIterator[Litestar]:
    listening = asyncio.create_task(process.hub.listen())
    yield app(process)
    listening.cancel()


@pytest.fixture
def application(running: Litestar, parts: Gateway) -> Litestar:
    """The gateway's application over an empty database."""
    return running


@pytest.fixture
def configured(application: Litestar, parts: Gateway) -> Iterator[Callable[..., None]]:
    """Runs the gateway with other settings until the test ends."""

    def change(**settings: Any) -> None:
        changed = msgspec.structs.replace(parts.settings, **settings)
        application.state.gateway = dataclasses.replace(parts, settings=changed)

    yield change
    application.state.gateway = parts


class Browser(httpx.AsyncClient):
    """Keeps cookies, and echoes the CSRF cookie as the client does."""

    def __init__(self, application: Litestar, address: str = "192.0.2.1") -> None:
        transport = httpx.ASGITransport(application, raise_app_exceptions=False, client=(address, 40000))
        super().__init__(transport=transport, base_url=ORIGIN)
        self.application = application
        self.event_hooks = {"request": [self._echo]}

    async def _echo(self, request: httpx.Request) -> None:
        token = self.cookies.get("__Host-csrf")
        if token and "X-CSRF" not in request.headers:
            request.headers["X-CSRF"] = token

    async def enter(self, localpart: str) -> dict[str, Any]:
        """Signed up and in, without the work that a password costs: for tests about anything else."""
        parts: Gateway = self.application.state.gateway
        user_id, _ = await users.register(parts.db, f"{localpart}@mail.test", "no password", DEFAULT)
        token, _ = await sessions.start(parts.db, user_id, "test", 30)
        for cookie in session_cookies(parts.identity_key, token, 30):
            self.cookies.set(cookie.key, str(cookie.value))
        return {"user_id": str(user_id), "handle": f"{localpart}@mail.test"}

    async def sign_up(self, localpart: str, password: str = PASSWORD) -> dict[str, Any]:
        body = {"localpart": localpart, "password": password, "tz": "Europe/Warsaw", "language": "pl"}
        answer = await self.post("/api/auth/register", json=body)
        assert answer.status_code == 201, answer.text
        me: dict[str, Any] = answer.json()
        return me

    async def sign_in(self, handle: str, password: str = PASSWORD) -> httpx.Response:
        return await self.post("/api/auth/login", json={"handle": handle, "password": password})


@pytest.fixture
async def open_browser(application: Litestar) -> AsyncIterator[Callable[..., Browser]]:
    """Makes browsers; each has cookies of its own."""
    opened: list[Browser] = []

    def make(address: str = "192.0.2.1") -> Browser:
        opened.append(Browser(application, address))
        return opened[-1]

    yield make
    for browser in opened:
        await browser.aclose()


@pytest.fixture
def browser(open_browser: Callable[..., Browser]) -> Browser:
    return open_browser()
