"""Nothing is written for an account but in the name under which the work began, and for a job that is still its worker's."""

from collections.abc import Sequence
from uuid import UUID

from contracts.facts import Fact, MailboxMarked
from contracts.subjects import AccountSubjects
from projections.sql import Pool
from services.jobs.held import Held, working
from services.jobs.job import Authority, Job
from services.jobs.jobs import Jobs
from services.log.appender import AccountAppender
from services.sync import accounts
from services.sync.errors import Revoked


class Authorized:
    """The account's appender, which asks Postgres, and for a job its bucket, before every batch.

    A batch that is on its way when the authority changes may still be written, and none after it. Where new credentials
    are kept the account's epoch is taken as well, so that the log refuses that one too.
    """

    def __init__(self, appender: AccountAppender, db: Pool, subjects: AccountSubjects, authority: Authority) -> None:
        self._appender = appender
        self._db = db
        self._subjects = subjects
        self._authority = authority

    @property
    def epoch(self) -> int:
        return self._appender.epoch

    @property
    def last_sequence(self) -> int:
        return self._appender.last_sequence

    async def marks(self) -> dict[UUID, MailboxMarked]:
        """As the appender's."""
        return await self._appender.marks()

    async def check(self) -> None:
        """Raises Revoked, and whatever tells that Postgres is away."""
        now = await accounts.authority(self._db, self._subjects.user_id, self._subjects.account_id)
        if now != self._authority:
            raise Revoked("the account has changed since the work began")

    async def claim(self, jobs: Jobs, job: Job, worker: str) -> Held | None:
        """A job of this account, done under its lease and in this name; None when it can't be had. Raises Revoked."""
        if (job.user_id, job.account_id) != (self._subjects.user_id, self._subjects.account_id):
            raise Revoked("the job is another account's")
        await self.check()
        return await jobs.claim(job, worker, self._authority, epoch=self.epoch)

    async def append(self, facts: Sequence[tuple[str, Fact]], mark: MailboxMarked | None = None) -> int:
        """All of it or nothing, and only in this name. Raises Revoked, JobLost, and as the appender."""
        await self.check()
        held = working.get()
        if held is not None:
            await held.check()
        return await self._appender.append(facts, mark)
