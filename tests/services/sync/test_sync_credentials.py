"""An account whose owner gives its password again: the log refuses whoever worked with the one before, and sync goes on."""

from contracts.facts import LeaseTaken, MessageArrived
from contracts.subjects import AccountSubjects
from services.jobs.job import Limits
from services.jobs.jobs import Jobs
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.processes import Installation, until

MAIL = b"Subject: one\r\n\r\nHello.\r\n"


async def test_credentials_given_again_fence_the_work_and_begin_it_anew(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [Mail(MAIL)])
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)
        answer = await installed.connect(dovecot, mail_user, account.user_id, account.account_id)
        assert answer == {"ok": True}
        dovecot.deliver(mail_user.name, MAIL.replace(b"one", b"two"))

        async def goes_on() -> bool:
            return await arrivals(installed, account) == 2

        await until(goes_on)
        owner, fence, new_owner = await leases(installed, account)
        assert owner.worker == new_owner.worker != fence.worker
        assert (owner.epoch, fence.epoch, new_owner.epoch) == (1, 2, 3)


async def test_a_first_sync_and_a_comparison_are_jobs_that_are_done(
    installed: Installation, dovecot: Dovecot, mail_user: User
) -> None:
    """Over the whole path: asked for by the gateway's rights, done by the worker that has the account."""
    dovecot.load(mail_user.name, [Mail(MAIL.replace(b"one", str(n).encode())) for n in range(5)])
    jobs = Jobs(installed.gateway, Limits())
    with installed.running("sync"):
        account = await installed.add_account(dovecot, mail_user)
        await installed.until_live(account)

        async def done(kind: str) -> bool:
            job = await jobs.current(account.user_id, account.account_id)
            return job is not None and (job.kind, job.state) == (kind, "done")

        await until(lambda: done("backfill"))
        first = await jobs.current(account.user_id, account.account_id)
        assert first is not None
        assert first.messages == 5
        await jobs.enqueue(account.user_id, account.account_id, "resync", by="user")
        await until(lambda: done("resync"))


async def leases(installed: Installation, account: AccountSubjects) -> list[LeaseTaken]:
    return [fact for fact in await installed.told(account) if isinstance(fact, LeaseTaken)]


async def arrivals(installed: Installation, account: AccountSubjects) -> int:
    return sum(isinstance(fact, MessageArrived) for fact in await installed.told(account))
