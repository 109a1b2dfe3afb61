"""The master key changes under a sync worker that goes on, in as many tries as it takes."""

import base64
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from contracts.facts import LeaseTaken, MessageArrived
from projections.sql import Pool
from services.admin import vault as command
from services.vault import Credentials, Vault, VaultError
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.postgres_server import Postgres
from tests.support.processes import ROOT, Installation, installation, until

MAIL = b"Subject: one\r\n\r\nHello.\r\n"
OLD, NEW = secrets.token_bytes(32), secrets.token_bytes(32)


def text(key: bytes) -> str:
    return base64.b64encode(key).decode()


def rotate(environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    asked = [sys.executable, "-m", "services.admin", "vault", "rotate"]
    return subprocess.run(asked, env=environ, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60)


@pytest.fixture
async def installed(postgres: Postgres, database: str, tmp_path: Path) -> AsyncIterator[Installation]:
    async with installation(postgres, database, tmp_path) as made:
        yield made


async def test_secrets_move_to_the_new_key_while_sync_works(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    keys = {"MASTER_KEY": text(NEW), "MASTER_KEY_PREVIOUS": text(OLD)}
    dovecot.load(mail_user.name, [Mail(MAIL)])
    with installed.running("sync", **keys):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
        # As it was kept before the key was changed.
        kept = Vault(OLD).keep(account.account_id, Credentials(imap_password=mail_user.password).encoded())
        await installed.db.execute("UPDATE account_secrets SET sealed = $1", kept)
        done = rotate(installed.environ("sync", **keys))
        assert (done.returncode, done.stdout) == (0, "1 of 1 secrets moved to the new key, 0 were there\n"), done.stderr
        again = rotate(installed.environ("sync", **keys))
        assert again.stdout == "0 of 1 secrets moved to the new key, 1 were there\n"
        dovecot.deliver(mail_user.name, MAIL.replace(b"one", b"two"))

        async def both() -> bool:
            return sum(isinstance(fact, MessageArrived) for fact in await installed.told(account)) == 2

        await until(both)
        assert sum(isinstance(fact, LeaseTaken) for fact in await installed.told(account)) == 1
    with installed.running("sync", MASTER_KEY=text(NEW)):  # the old key is gone for good
        dovecot.deliver(mail_user.name, MAIL.replace(b"one", b"three"))

        async def all_three() -> bool:
            return sum(isinstance(fact, MessageArrived) for fact in await installed.told(account)) == 3

        await until(all_three)
    assert mail_user.password not in done.stdout + done.stderr + installed.log_of("sync")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"MASTER_KEY_PREVIOUS": ""}, "MASTER_KEY_PREVIOUS is not set"),
        ({"MASTER_KEY": ""}, "MASTER_KEY is not set"),
        ({"MASTER_KEY_PREVIOUS": text(NEW)}, "are the same key"),
        ({"MASTER_KEY_PREVIOUS": "short"}, "MASTER_KEY_PREVIOUS must be 32 random bytes"),
        ({"IDENTITY_KEY": text(OLD)}, "must not hold IDENTITY_KEY"),
    ],
)
async def test_without_both_keys_and_nothing_else_no_secret_is_touched(
    installed: Installation, change: dict[str, str], said: str
) -> None:
    keys = {"MASTER_KEY": text(NEW), "MASTER_KEY_PREVIOUS": text(OLD)}
    done = rotate(installed.environ("sync", **{**keys, **change}))
    assert done.returncode == 1
    assert said in done.stderr
    assert text(NEW) not in done.stderr


@pytest.fixture
async def db(database: str) -> AsyncIterator[Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as pool:
        yield pool


async def keep(db: Pool, count: int, key: bytes) -> list[UUID]:
    user = await db.fetchval(
        "INSERT INTO users (handle, password_hash) VALUES ($1, '') RETURNING id", secrets.token_hex(5)
    )
    made = []
    for n in range(count):
        account = await db.fetchval(
            "INSERT INTO accounts (user_id, email, imap) VALUES ($1, $2, '{}') RETURNING id", user, f"a{n}@example.org"
        )
        statement = "INSERT INTO account_secrets (account_id, user_id, sealed) VALUES ($1, $2, $3)"
        await db.execute(statement, account, user, Vault(key).keep(account, b"secret"))
        made.append(account)
    return made


async def test_what_was_cut_off_goes_on_where_it_was(db: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "AT_ONCE", 2)
    accounts, vault = await keep(db, 5, OLD), Vault(NEW, OLD)
    renewed, left = vault.renewed, iter(range(3))

    def cut_off(account_id: UUID, kept: bytes) -> bytes | None:
        if next(left, None) is None:
            raise ConnectionError
        return renewed(account_id, kept)

    monkeypatch.setattr(vault, "renewed", cut_off)
    with pytest.raises(ConnectionError):
        await command.rotate(db, vault)
    assert await command.rotate(db, Vault(NEW, OLD)) == (2, 0, 5)
    for account in accounts:
        sealed = await db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", account)
        assert Vault(NEW).open(account, sealed) == b"secret"


async def test_a_secret_that_neither_key_opens_is_counted_and_stays(db: Pool) -> None:
    (lost,) = await keep(db, 1, secrets.token_bytes(32))
    await keep(db, 2, OLD)
    before = await db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", lost)
    assert await command.rotate(db, Vault(NEW, OLD)) == (2, 1, 3)
    assert await db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", lost) == before


async def test_a_secret_that_is_given_anew_meanwhile_is_not_overwritten(
    db: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (account,) = await keep(db, 1, OLD)
    vault = Vault(NEW, OLD)
    given = vault.keep(account, b"another")

    async def meanwhile(*_: object) -> AsyncIterator[tuple[UUID, bytes]]:
        yield (
            account,
            await db.fetchval(
                "UPDATE account_secrets x SET sealed = $2 FROM account_secrets y WHERE x.account_id = $1 AND y.account_id = x.account_id RETURNING y.sealed",
                account,
                given,
            ),
        )

    monkeypatch.setattr(command, "_secrets", meanwhile)
    assert await command.rotate(db, vault) == (0, 0, 1)
    sealed = await db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", account)
    assert vault.open(account, sealed) == b"another"
    with pytest.raises(VaultError):
        Vault(OLD).open(account, sealed)
