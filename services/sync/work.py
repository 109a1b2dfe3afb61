"""What a job does: whatever of an account is not complete is read, and a resync compares all of it with the server."""

from collections.abc import AsyncIterator, Iterable, Sequence

from contracts.provider import Batch, Listed, MailboxDelta, MailboxStatus, MailSource, Quota, RemoteMailbox, Seen
from services.jobs.held import Held
from services.mail.budget import Purpose
from services.sync.account import Account
from services.sync.cursor import Cursor, Work
from services.sync.errors import Spent


async def do(account: Account, held: Held, *, size: int, most: int) -> None:
    """All of it, in chunks of `size` messages, at most `most` of them.

    Raises Spent when there is more to do, ProviderError, JobLost, and all that ends the account.
    """
    job = held.job
    work = Work(str(job.id), chunks=job.chunks, messages=job.messages)
    async with account.working.used(Purpose.BULK) as source:
        paced = Paced(source, account, held, work, size=size, most=most)
        while unfinished := account.unfinished:
            await account.say()
            await _fill(account, unfinished[0], paced, work)
            await paced.told()
            if work.chunks >= most and account.unfinished:
                raise Spent
        if job.kind == "resync":
            for one in account.mailboxes.opened:
                await account.audit(one, paced, whole=True)
                await paced.told()


async def _fill(account: Account, one: Cursor, source: MailSource, work: Work) -> None:
    one.work = work
    try:
        await account.fill(one, source)
    finally:
        one.work = None


class Paced:
    """A source for one job: between two batches others have their turn, and what is done is said of the job."""

    def __init__(self, source: MailSource, account: Account, held: Held, work: Work, *, size: int, most: int) -> None:
        self._source = source
        self._account = account
        self._held = held
        self._work = work
        self._size = size
        self._most = most
        self._before = (work.chunks, work.messages)

    async def told(self) -> None:
        """Say how far the job is. Raises JobLost."""
        now = (self._work.chunks, self._work.messages)
        before, self._before = self._before, now
        if now != before:
            await self._held.progress(now[0] - before[0], now[1] - before[1])

    @property
    def labelled(self) -> bool:
        return self._source.labelled

    async def verify(self) -> None:
        await self._source.verify()

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        return await self._source.list_mailboxes()

    async def quota(self) -> Quota | None:
        return await self._source.quota()

    async def status(self, mailbox: str) -> MailboxStatus:
        return await self._source.status(mailbox)

    async def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        """Ends before its end with the last chunk of the job: what is on its way is told, and the mark says how far."""
        room = self._most - self._work.chunks
        size = min(batch_size, self._size)
        async for batch in self._source.backfill(mailbox, uidvalidity=uidvalidity, below=below, batch_size=size):
            yield batch
            room -= 1
            if room <= 0:
                return
            await self._turn()

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        size = min(batch_size, self._size)
        async for batch in self._source.fetch(mailbox, uids, uidvalidity=uidvalidity, batch_size=size):
            yield batch
            await self._turn()
            if self._work.chunks >= self._most:
                raise Spent

    async def listing(
        self, mailbox: str, *, uidvalidity: int, batch_size: int = 1000
    ) -> AsyncIterator[Sequence[Listed]]:
        async for listed in self._source.listing(mailbox, uidvalidity=uidvalidity, batch_size=batch_size):
            yield listed
            await self._turn()

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        return await self._source.uids(mailbox, uidvalidity=uidvalidity)

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        return await self._source.poll(mailbox, seen)

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        await self._source.idle(mailbox, status)

    async def close(self) -> None:
        await self._source.close()

    async def _turn(self) -> None:
        await self.told()
        await self._account.working.give_way()
