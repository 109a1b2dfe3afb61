"""A process that is killed anywhere goes on where its marks are: nothing lost, nothing told twice."""

import asyncio
import random

from contracts import ids
from contracts.facts import LeaseTaken, MessageArrived
from contracts.streams import Role, facts_name
from contracts.subjects import AccountSubjects
from services.log import api
from services.log.appender import AccountAppender
from services.log.connection import connect
from tests.services.sync.told import mailboxes, repeated
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.imap_truth import held, session
from tests.support.processes import Installation, kill9, stop, until

COUNT = 1500


def mails(count: int) -> list[Mail]:
    return [
        Mail(
            f"From: a@example.test\r\nSubject: number {n}\r\nMessage-ID: <{n}@x>\r\n\r\nText {n}\r\n".encode()
            * (1 + n % 3)
        )
        for n in range(count)
    ]


async def size_of(installed: Installation, account: AccountSubjects) -> int:
    info = await api.ask(installed.admin, f"STREAM.INFO.{facts_name(account.partition)}")
    return int(info["state"]["messages"])


async def test_a_backfill_that_is_killed_again_and_again_tells_everything_once(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    """Meanwhile mail arrives, flags change and messages are expunged, in what is told and in what is not."""
    chance = random.Random(7)
    dovecot.load(mail_user.name, mails(COUNT))
    child = installed.start("sync", SYNC_JOB_ATTEMPTS="50")
    try:
        account = await installed.add_account(dovecot, mail_user)
        kills = 0
        for _ in range(5):
            before = await size_of(installed, account)

            async def moved(before: int = before) -> bool:
                return await size_of(installed, account) > before + 5

            await until(moved)
            await asyncio.sleep(chance.random() * 0.3)
            kill9(child)
            kills += 1
            disturb(dovecot, mail_user, kills)
            child = installed.start("sync", SYNC_JOB_ATTEMPTS="50")
        disturb(dovecot, mail_user, 6)
        await installed.until_live(account, seconds=40)

        async def equal() -> bool:
            return mailboxes(await installed.told(account)) == held(dovecot, mail_user)

        await until(equal)
    finally:
        stop(child)
    facts = await installed.told(account)
    assert repeated(facts) == []
    assert len([fact for fact in facts if isinstance(fact, LeaseTaken)]) >= kills


def disturb(dovecot: Dovecot, user: User, round_: int) -> None:
    low, high = 50 + round_, COUNT - 20 * round_
    with session(dovecot, user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", f"{low}:{low + 3},{high}:{high + 3}", "+FLAGS.SILENT", r"(\Flagged)")
        imap.uid("STORE", f"{low + 200},{high - 9}", "+FLAGS.SILENT", r"(\Deleted)")
        imap.uid("EXPUNGE", f"{low + 200},{high - 9}")
    dovecot.deliver(user.name, f"Subject: arrival {round_}\r\n\r\nx\r\n".encode())


async def test_a_worker_that_lost_its_account_writes_nothing_more_and_may_only_claim_anew(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(3))
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
        sync = await connect(
            installed.nats.url.replace("://", f"://sync:{installed.nats_passwords[Role.SYNC]}@"), Role.SYNC
        )
        other = AccountAppender(sync, account)
        await other.claim("another worker")
        dovecot.deliver(mail_user.name, b"Subject: after the claim\r\n\r\nx\r\n")

        async def arrived() -> bool:
            return len([f for f in await installed.told(account) if isinstance(f, MessageArrived)]) == 4

        await until(arrived)
        await sync.close()
    facts = await installed.told(account)
    assert repeated(facts) == []
    epochs = [(fact.epoch, fact.worker == "another worker") for fact in facts if isinstance(fact, LeaseTaken)]
    assert epochs == [(1, False), (2, True), (3, False)]
    arrivals = [n for n, fact in enumerate(facts) if isinstance(fact, MessageArrived)]
    claims = [n for n, fact in enumerate(facts) if isinstance(fact, LeaseTaken)]
    assert arrivals[-1] > claims[-1]  # nothing between the other's claim and the new one
    assert "account given up" in installed.log_of("sync")


async def test_two_processes_share_accounts_and_never_one(installed: Installation, dovecot: Dovecot) -> None:
    users = [dovecot.user() for _ in range(3)]
    for user in users:
        dovecot.load(user.name, mails(5))
    with installed.running("sync"), installed.running("sync"):
        accounts = [await installed.add_account(dovecot, user) for user in users]
        for account in accounts:
            await installed.until_live(account)
        told = [
            await installed.told(account) for account in accounts
        ]  # whoever is stopped first leaves its own to the other
    for facts, user in zip(told, users, strict=True):
        assert mailboxes(facts) == held(dovecot, user)
        assert len([fact for fact in facts if isinstance(fact, LeaseTaken)]) == 1


async def test_what_is_stopped_gives_its_accounts_back_at_once(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
    held_by = await api.from_leader(
        installed.admin, "KV_leases", {"last_by_subj": f"$KV.leases.account.{account.account_id}"}
    )
    assert held_by is None or "KV-Operation" in held_by.headers
    assert mail_user.name not in dovecot.doveadm("who")
    assert ids.partition(account.user_id, 2) == account.partition
