"""What goes wrong is said of the account, costs no other one, and passwords are not hammered."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from contracts.facts import AccountState, MessageArrived, SpecialUse
from contracts.provider import Batch, RemoteMessage
from contracts.subjects import AccountSubjects
from projections.documents import memo
from services.blobs import FolderBlobs
from services.parsing import pool as pools
from services.parsing.pool import parse_pool
from services.sync.cursor import Cursor
from services.sync.ingest import REFUSED, Ingest, Told
from services.sync.memory import Found
from services.vault import Credentials, Vault
from tests.services.sync.fake_log import Remembering, mark
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import Installation, until

MAIL = b"Subject: one\r\n\r\nHello.\r\n"


async def test_an_account_that_does_not_work_is_refused_with_the_servers_words_and_nothing_is_kept(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    owner = await installed.add_user()
    account = await installed.pending(dovecot, mail_user, owner)
    with installed.running("sync"):
        answer = await installed.connect(dovecot, mail_user, owner, account, password="not this")
        assert isinstance(answer["error"], dict)
        assert answer["error"]["code"] == "auth_failed"
        assert answer["error"]["detail"]
        assert await installed.db.fetchval("SELECT count(*) FROM account_secrets WHERE account_id = $1", account) == 0
        assert await installed.connect(dovecot, mail_user, owner, account) == {"ok": True}
    sealed = await installed.db.fetchval("SELECT sealed FROM account_secrets WHERE account_id = $1", account)
    kept = Credentials.decoded(Vault(installed.master_key).open(account, sealed))
    assert kept.imap_password == mail_user.password
    assert mail_user.password not in installed.log_of("sync")
    assert mail_user.name not in installed.log_of("sync")


async def test_a_question_that_nobody_understands_is_answered(installed: Installation) -> None:
    with installed.running("sync"):
        answer = await installed.ask_sync(b'{"sealed": 5}')
    assert answer == b'{"error":{"code":"internal","detail":""}}'


async def test_a_changed_password_stops_the_account_until_its_owner_gives_the_new_one(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [Mail(MAIL)])
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
        await set_password(installed, account, "changed elsewhere")

        async def blocked() -> bool:
            return (await installed.states(account))[-1].state is AccountState.RECONNECT_REQUIRED

        await until(blocked)
        assert (await installed.states(account))[-1].code == "auth_failed"
        tries = dovecot.log().count("auth")
        await asyncio.sleep(1.5)
        assert dovecot.log().count("auth") == tries
        await set_password(installed, account, mail_user.password)
        await installed.until_live(account)


async def set_password(installed: Installation, account: AccountSubjects, password: str) -> None:
    sealed = Vault(installed.master_key).keep(account.account_id, Credentials(imap_password=password).encoded())
    statement = "UPDATE account_secrets SET sealed = $2, version = version + 1 WHERE account_id = $1"
    await installed.db.execute(statement, account.account_id, sealed)


async def test_a_server_that_goes_away_is_tried_again_and_a_removed_account_is_left_alone(
    installed: Installation, dovecot_of_its_own: Dovecot
) -> None:
    server, user = dovecot_of_its_own, dovecot_of_its_own.user()
    server.load(user.name, [Mail(MAIL)])
    with installed.running("sync"):
        account = await installed.add_account(server, user)
        await installed.until_live(account)
        server.kill()

        async def in_trouble() -> bool:
            return (await installed.states(account))[-1].state is AccountState.ERROR

        await until(in_trouble)
        last = (await installed.states(account))[-1]
        assert last.code in ("connection_lost", "refused")
        assert last.retry_at is not None
        server.start()
        server.deliver(user.name, MAIL.replace(b"one", b"two"))
        await installed.until_live(account)

        async def both() -> bool:
            return len([fact for fact in await installed.told(account) if isinstance(fact, MessageArrived)]) == 2

        await until(both)
        await installed.remove_accounts()
        started = time.monotonic()
        await until(lambda: user.name not in server.doveadm("who"))
        assert time.monotonic() - started < 5


# -- one batch, with parsers and servers that fail


@pytest.fixture
async def db(database: str) -> AsyncIterator["asyncpg.Pool[asyncpg.Record]"]:
    async with asyncpg.create_pool(database, min_size=1, max_size=2) as pool:
        async with pool.acquire() as connection:
            await memo.prepare(connection)
        yield pool


async def ingested(db: "asyncpg.Pool[asyncpg.Record]", folder: Path, batch: Batch) -> list[MessageArrived]:
    subjects = AccountSubjects(0, uuid4(), uuid4())
    mailbox = Found(uuid4(), "INBOX", "/", SpecialUse.INBOX, selectable=True, lost=False)
    cursor = Cursor(Remembering(), subjects, mailbox, mark(subjects, mailbox.id))
    told: list[MessageArrived] = []

    async def write(part: Told) -> None:
        told.extend(fact for fact in part.facts if isinstance(fact, MessageArrived))
        documents = await memo.get(db, subjects.user_id, [fact.blob for fact in told], texts=True)
        assert set(documents) == {fact.blob for fact in told}  # before any fact names them

    async def batches() -> AsyncIterator[Batch]:
        yield batch

    async with parse_pool(1) as pool:
        await Ingest(db, FolderBlobs(folder), pool).run(cursor, batches(), write)
    return told


def message(uid: int, raw: bytes) -> RemoteMessage:
    return RemoteMessage(
        uid=uid, raw=raw, size=len(raw), flags=frozenset(), internal_date=datetime(2026, 1, 1, tzinfo=UTC)
    )


DYING = """
import os
from projections.documents import document
from services.parsing import child
read = document.read
document.read = lambda raw, **how: os._exit(9) if b"kill me" in raw else read(raw, **how)
child.main()
"""


async def test_a_message_that_kills_its_parser_is_told_as_unreadable_and_the_others_as_ever(
    db: "asyncpg.Pool[asyncpg.Record]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "PROGRAM", ("-c", DYING))
    batch = Batch(uidvalidity=1, floor=1, messages=(message(3, MAIL), message(2, b"kill me"), message(1, MAIL + b"x")))
    told = await ingested(db, tmp_path, batch)
    assert [(fact.uid, bool(fact.unreadable)) for fact in told] == [(3, False), (2, True), (1, False)]


async def test_a_message_that_the_server_does_not_give_is_shown_as_that(
    db: "asyncpg.Pool[asyncpg.Record]", tmp_path: Path
) -> None:
    batch = Batch(uidvalidity=1, floor=1, messages=(message(3, MAIL),), missing=(2,), unreadable=(1,))
    told = await ingested(db, tmp_path, batch)
    assert [(fact.uid, fact.unreadable) for fact in told] == [(3, ""), (1, REFUSED)]
