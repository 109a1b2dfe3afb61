"""How the engine sees one partition of the log; the real one is `services.log.reader`, the tests' is a list."""

from collections.abc import AsyncIterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

from contracts.facts import Fact

F_co = TypeVar("F_co", bound=Fact, covariant=True)


class Recorded(NamedTuple, Generic[F_co]):
    """A fact and its sequence in the partition's stream."""

    sequence: int
    fact: F_co


class Log(Protocol):
    """One partition, read in order. Sequences may have holes (erasure), never go back."""

    @property
    def partition(self) -> int:
        """Which one."""

    async def read(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        """At most `limit` facts after a sequence; empty at the head. Raises codec.UnknownFact."""

    def slice(self, user_id: UUID, upto: int) -> AsyncIterator[Sequence[Recorded[Fact]]]:
        """All facts of one user up to and including a sequence, in batches."""


class Tail(Protocol):
    """Where one partition grows."""

    async def coming(self, after: int, limit: int) -> Sequence[Recorded[Fact]]:
        """At most `limit` facts after a sequence, soon after they are appended; now and then none. Raises codec.UnknownFact."""
