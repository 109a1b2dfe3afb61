"""Writing what became of a request: one outcome each, whoever else holds the partition.

The subject of an account's outcomes has outbound as its only writer, and each fact there expects the one before it.
"""

from uuid import UUID

import msgspec
import structlog

from contracts import codec
from contracts.facts import RequestApplied, RequestExpired, RequestRefused
from contracts.subjects import AccountSubjects
from services.log import api
from services.log.append import append
from services.log.connection import Connection
from services.log.errors import Conflict
from services.log.reader import PartitionLog

Outcome = RequestApplied | RequestRefused | RequestExpired

log = structlog.get_logger()


LARGEST = 900_000
"""Bytes of a fact, below what nats-server takes in one message."""


class Outcomes:
    """Of one account. `last`: the sequence of the last one that is known."""

    def __init__(self, nc: Connection, account: AccountSubjects) -> None:
        self.last = 0
        self._nc = nc
        self._account = account
        self._settled: set[UUID] = set()

    async def read(self, after: int) -> None:
        """What there is after a sequence, of whomever. Raises LogError."""
        last = await api.last(self._nc, self._account.partition, self._account.outcome)
        reader = PartitionLog(self._nc, self._account.partition)
        upto = last.sequence if last else 0
        async for batch in reader.history(self._account.outcome, upto, after=after):
            self._settled.update(fact.request_id for _, fact in batch if isinstance(fact, Outcome))
        self.last = upto

    def has(self, request_id: UUID) -> bool:
        return request_id in self._settled

    async def write(self, outcome: Outcome) -> None:
        """Unless there is one. Raises LogError."""
        outcome = fitting(outcome)
        while not self.has(outcome.request_id):
            try:
                self.last = await append(
                    self._nc, self._account.outcome, outcome, key=str(outcome.request_id), expected=self.last
                )
            except Conflict:
                log.warning("somebody else writes outcomes", account=str(self._account.account_id))
                await self.read(self.last)
                if not self.last:
                    return  # the account was erased meanwhile, and nobody asks any more
            else:
                self._settled.add(outcome.request_id)

    def forget(self, request_id: UUID) -> None:
        """Its request is done with, and will not be asked about again."""
        self._settled.discard(request_id)


def fitting(outcome: Outcome) -> Outcome:
    """Of very many results as many as a fact can hold; of the others sync tells."""
    while isinstance(outcome, RequestApplied) and len(codec.encode(outcome)) > LARGEST:
        outcome = msgspec.structs.replace(outcome, results=outcome.results[: len(outcome.results) // 2])
    return outcome
