"""Erasing an account: everything that its owner removed leaves the log, the blobs and the tables; a tombstone stays (design §2)."""

import asyncio
import time
from collections.abc import AsyncIterator, Container, Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog

from contracts import codec, ids, subjects
from contracts.events import UserActive
from contracts.facts import AccountErased, ContentChanged, Fact, MessageArrived
from contracts.streams import EVENTS, TIMERS, facts_name
from contracts.subjects import AccountSubjects
from projections.documents import memo
from projections.sql import Pool, Statements
from services.blobs import Blobs
from services.jobs import store
from services.log import api
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.connection import Connection
from services.log.reader import PartitionLog

query = Statements("services.admin", "erasure.sql")

WRITER = "eraser"

PATIENCE = 10.0
"""Seconds for which read models are waited for; an event that comes later still ends with its stream's age."""

PAUSE = 0.1

LOOSE = timedelta(days=1)
"""How long a blob stays that a row named, so that the user's accounts are fenced for many at once."""

log = structlog.get_logger()


class Eraser:
    """Every step may be repeated, so an erasure that died is finished by the next one. Run with the administrator's rights."""

    def __init__(self, nc: Connection, db: Pool, blobs: Blobs, partitions: int) -> None:
        self._nc = nc
        self._db = db
        self._blobs = blobs
        self._partitions = partitions

    async def erase_removed(self) -> int:
        """Erase every account that its owner removed, whoever left, and files of drafts that went; how many accounts there were."""
        await self._db.execute(query.remove_what_leavers_left)
        accounts = await self._db.fetch(query.removed_accounts)
        for row in accounts:
            await self.erase(row["user_id"], row["id"])
        for row in await self._db.fetch(query.leavers):
            await self.forget(row["id"])
        for row in await self._db.fetch(query.long_loose, LOOSE):
            await self._decide(row["user_id"], set(row["blobs"]))
        return len(accounts)

    async def forget(self, user_id: UUID) -> None:
        """What is left of a user without accounts; in the log only tombstones, by which read models delete, stay."""
        await self._purge(EVENTS.name, subjects.event(user_id, subjects.REST))
        await self._blobs.forget(user_id)
        await self._db.execute(query.forget_user, user_id)
        log.info("user erased", user=str(user_id))

    async def erase(self, user_id: UUID, account_id: UUID) -> None:
        """Fence the account, purge it everywhere, and leave the tombstone by which projections delete."""
        account = AccountSubjects(ids.partition(user_id, self._partitions), user_id, account_id)
        await self._db.execute(query.forget_credentials, user_id, account_id)
        await AccountAppender(self._nc, account).claim(WRITER)
        await self._db.execute(
            query.begin, user_id, account_id, await self._named(account.partition, account.everything)
        )
        await self._purge(facts_name(account.partition), account.everything)
        await self._purge(TIMERS.name, account.timer(subjects.REST))
        for jobs in store.of_account(user_id, account_id):
            await self._purge(store.STREAM, jobs)
        tombstone = AccountErased(user_id=user_id, account_id=account_id, at=datetime.now(UTC))
        end = await append(self._nc, account.account, tombstone, key=f"erased:{datetime.now(UTC).isoformat()}")
        await self._wait_until_told(account.partition, end)
        await self._forget_events(account)
        await self._delete_blobs(account)
        await self._db.execute(query.finish, user_id, account_id)
        log.info("account erased", user=str(user_id), account=str(account_id))

    async def _kept(self, user_id: UUID) -> set[str]:
        """The blobs that anything of the user names."""
        partition = ids.partition(user_id, self._partitions)
        rows = {row["blob"] for row in await self._db.fetch(query.named, user_id)}
        return rows | set(await self._named(partition, subjects.user(partition, user_id)))

    async def _named(self, partition: int, under: str) -> list[str]:
        """The blobs that facts under a subject name."""
        reader = PartitionLog(self._nc, partition)
        found: set[str] = set()
        async for facts in reader.history(under, await reader.head()):
            found.update(blobs(recorded.fact for recorded in facts))
        return sorted(found)

    async def _purge(self, stream: str, under: str) -> None:
        await api.ask(self._nc, f"STREAM.PURGE.{stream}", {"filter": under})

    async def _wait_until_told(self, partition: int, sequence: int) -> None:
        """What is announced of facts that were there is in the stream of events, to be forgotten."""
        deadline = time.monotonic() + PATIENCE
        while not await self._db.fetchval(query.told, partition, sequence):
            if time.monotonic() > deadline:
                log.warning("read models are behind an erasure", partition=partition)
                return
            await asyncio.sleep(PAUSE)

    async def _forget_events(self, account: AccountSubjects) -> None:
        """Events of one user share their subjects, so those of one account are deleted one by one."""
        async for message in self._events(subjects.event(account.user_id, subjects.REST)):
            if _account_of(message.data) == account.account_id:
                await api.ask(self._nc, f"STREAM.MSG.DELETE.{EVENTS.name}", {"seq": message.sequence})

    async def _events(self, under: str) -> AsyncIterator[api.Stored]:
        after = 0
        while True:
            page = await api.listed(self._nc, EVENTS.name, {"seq": after + 1, "batch": 500, "next_by_subj": under})
            for message in page.messages:
                yield message
            if not page.messages:
                return
            after = page.messages[-1].sequence

    async def _delete_blobs(self, account: AccountSubjects) -> None:
        """A blob stays only when something of the user names it: a fact, a draft or a send."""
        await self._db.execute(query.forget_writing, account.user_id, account.account_id)
        stored = await self._blobs.stored(account.user_id)  # also what its worker had put and told of no more
        await self._db.execute(query.begin, account.user_id, account.account_id, sorted(stored))
        own = set(await self._db.fetchval(query.begun, account.user_id, account.account_id))
        await self._decide(account.user_id, own, {account.account_id})

    async def _decide(self, user_id: UUID, own: set[str], fenced: Container[UUID] = ()) -> None:
        """Forget those of these blobs that nothing names.

        Sync may just have found one of them there and be about to append a fact that names it. So they are set aside, then
        all of the user's accounts are fenced: what was put before is named by now, or never will be, and what is put from
        here on is stored anew. Only then is it decided. What the gateway is putting waits, and so is put anew as well.
        """
        async with self._db.acquire() as db, db.transaction():
            await db.execute(query.decide, user_id)
            await self._blobs.set_aside(user_id, sorted(own - await self._kept(user_id)))
            for row in await self._db.fetch(query.accounts, user_id):
                if row["id"] not in fenced:
                    partition = ids.partition(user_id, self._partitions)
                    await AccountAppender(self._nc, AccountSubjects(partition, user_id, row["id"])).claim(WRITER)
            kept = await self._kept(user_id)
            await self._blobs.bring_back(user_id, sorted(own & kept))
            await self._db.execute(memo.query.delete, user_id, sorted(own - kept))
            await self._blobs.delete(user_id, sorted(own - kept))
            await self._db.execute(query.decided, user_id, sorted(own))


def blobs(facts: Iterable[Fact]) -> set[str]:
    """The blobs that facts name."""
    return {fact.blob for fact in facts if isinstance(fact, MessageArrived | ContentChanged)}


def _account_of(data: bytes) -> UUID | None:
    """The account that an event is about; none for those about threads, which hold nothing else of it."""
    try:
        event = codec.decode_event(data)
    except codec.UnknownFact:
        return None  # a plugin's
    return None if isinstance(event, UserActive) else getattr(event, "account_id", None)
