"""What tests of the log say: an account with a mailbox, facts about it, and what a partition holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from contracts import ids, streams
from contracts.facts import AccountConnected, Fact, MailboxMarked, MessageArrived
from contracts.subjects import AccountSubjects
from services.log import api
from services.log.connection import Connection
from services.log.reader import PartitionLog

PARTITIONS = 2
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass(frozen=True)
class Account:
    """One account with one mailbox, and facts about it."""

    subjects: AccountSubjects
    mailbox_id: UUID

    @property
    def partition(self) -> int:
        return self.subjects.partition

    def arrivals(self, first: int, count: int) -> list[tuple[str, Fact]]:
        return [(self.subjects.mailbox(self.mailbox_id), self.arrived(uid)) for uid in range(first, first + count)]

    def arrived(self, uid: int) -> MessageArrived:
        return MessageArrived(
            user_id=self.subjects.user_id,
            account_id=self.subjects.account_id,
            at=AT,
            mailbox_id=self.mailbox_id,
            generation=1,
            uid=uid,
            message_id=ids.message_id(self.subjects.account_id, f"{uid:064x}"),
            blob=f"{uid:064x}",
            size=1000 + uid,
            internal_date=AT,
            evidence=f"{uid:032x}",
        )

    def mark(self, high: int) -> MailboxMarked:
        return MailboxMarked(
            user_id=self.subjects.user_id,
            account_id=self.subjects.account_id,
            at=AT,
            mailbox_id=self.mailbox_id,
            generation=1,
            epoch=0,
            batch="",
            uidvalidity=1,
            high_uid=high,
            backfill_from=1,
            floor_uid=1,
            done=True,
            synced=high,
            total=high,
        )


def new_account(user_id: UUID | None = None, partitions: int = PARTITIONS) -> Account:
    user = user_id or uuid4()
    return Account(AccountSubjects(ids.partition(user, partitions), user, uuid4()), uuid4())


async def stored(nc: Connection, partition: int) -> int:
    """How many messages a partition holds."""
    state = (await api.ask(nc, f"STREAM.INFO.{streams.facts_name(partition)}"))["state"]
    return int(state["messages"])


def uids(facts: Iterable[object]) -> list[int]:
    return [fact.uid for fact in facts if isinstance(fact, MessageArrived)]


async def everything(nc: Connection, account: Account) -> list[Fact]:
    """All facts of the account's user, as a projector reads them."""
    log = PartitionLog(nc, account.partition)
    batches = [facts async for facts in log.slice(account.subjects.user_id, await log.head())]
    return [recorded.fact for facts in batches for recorded in facts]


def connected(account: Account) -> AccountConnected:
    return AccountConnected(user_id=account.subjects.user_id, account_id=account.subjects.account_id, at=AT)
