"""The subjects of the log: where each fact and event stands (design §2)."""

from uuid import UUID

import msgspec

ANY = "*"
REST = ">"

PREFIX = "fact"


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A fact's subject, taken apart. `rest` is what stands below the account, e.g. `sync.<mailbox>.mark`."""

    partition: int
    user_id: UUID
    account_id: UUID
    rest: str


def parse(subject: str) -> Subject:
    """The parts of a fact's subject; ValueError when it is none."""
    prefix, partition, user, account, *rest = subject.split(".", 4)
    if prefix != PREFIX or not rest:
        raise ValueError(f"not a fact's subject: {subject}")
    return Subject(partition=int(partition), user_id=UUID(user), account_id=UUID(account), rest=rest[0])


def user(partition: int, user_id: UUID) -> str:
    """The filter for everything of one user."""
    return f"{PREFIX}.{partition}.{user_id}.{REST}"


def sends(partition: int | str = ANY, user_id: UUID | str = ANY) -> str:
    """The filter for everything that was said of sends, of one partition or of all."""
    return f"{PREFIX}.{partition}.{user_id}.{ANY}.send.{ANY}"


def requests(partition: int, user_id: UUID | str = ANY) -> str:
    """The filter for what a user has asked for, or everybody of a partition."""
    return f"{PREFIX}.{partition}.{user_id}.{ANY}.request"


def outcomes(partition: int) -> str:
    """The filter for what became of all of it."""
    return f"{PREFIX}.{partition}.{ANY}.{ANY}.outcome"


class AccountSubjects(msgspec.Struct, frozen=True):
    """Every subject of one account; who may write which is in `contracts.streams`."""

    partition: int
    user_id: UUID
    account_id: UUID

    @property
    def root(self) -> str:
        return f"{PREFIX}.{self.partition}.{self.user_id}.{self.account_id}"

    @property
    def everything(self) -> str:
        return f"{self.root}.{REST}"

    @property
    def account(self) -> str:
        return f"{self.root}.account"

    @property
    def sync(self) -> str:
        """The filter that every fence of this account is on."""
        return f"{self.root}.sync.{REST}"

    @property
    def lease(self) -> str:
        return f"{self.root}.sync.lease"

    @property
    def state(self) -> str:
        return f"{self.root}.sync.account"

    def mailbox(self, mailbox_id: UUID) -> str:
        return f"{self.root}.sync.{mailbox_id}"

    def mark(self, mailbox_id: UUID) -> str:
        return f"{self.root}.sync.{mailbox_id}.mark"

    @property
    def request(self) -> str:
        return f"{self.root}.request"

    @property
    def outcome(self) -> str:
        return f"{self.root}.outcome"

    def send(self, outbox_id: UUID) -> str:
        return f"{self.root}.send.{outbox_id}"

    def timer(self, timer_id: str) -> str:
        return f"timer.{self.partition}.{self.user_id}.{self.account_id}.{timer_id}"


def wake(partition: int, what: str) -> str:
    """A timer's target: wakes the partition's outbound, which decides by what the log says."""
    return f"wake.{partition}.{what}"


def event(user_id: UUID, name: str) -> str:
    """Where an event of §8.3 is announced, e.g. `event.<user>.message.new`."""
    return f"event.{user_id}.{name}"
