"""What sync says of an account as a whole, told only when it changes."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

from contracts import codec
from contracts.facts import AccountState, AccountStateChanged
from contracts.subjects import AccountSubjects
from services.log import api
from services.log.connection import Connection
from services.sync.cursor import Appender


class Owner(Appender, Protocol):
    """Who has claimed the account."""

    @property
    def epoch(self) -> int:
        """Of the claim."""


class State:
    """The account's state as the log has it."""

    def __init__(self, appender: Owner, subjects: AccountSubjects, last: AccountStateChanged | None) -> None:
        self._appender = appender
        self._subjects = subjects
        self._last = last

    @classmethod
    async def read(cls, nc: Connection, appender: Owner, subjects: AccountSubjects) -> "State":
        """After the claim, so that nobody else changes it."""
        stored = await api.last(nc, subjects.partition, subjects.state)
        fact = codec.decode_at(stored.subject, stored.data) if stored else None
        return cls(appender, subjects, fact if isinstance(fact, AccountStateChanged) else None)

    @property
    def healthy(self) -> bool:
        """Whether the last word was that all goes well, which a new owner need not take back."""
        return self._last is not None and self._last.state in (AccountState.LIVE, AccountState.BACKFILLING)

    async def say(self, state: AccountState, code: str = "", retry_in: float | None = None) -> None:
        """`retry_in` seconds sync tries again by itself; a new time is news."""
        last = self._last
        if last is not None and (last.state, last.code) == (state, code) and retry_in is None:
            return
        now = datetime.now(UTC)
        fact = AccountStateChanged(
            user_id=self._subjects.user_id,
            account_id=self._subjects.account_id,
            at=now,
            epoch=self._appender.epoch,
            state=state,
            code=code,
            retry_at=now + timedelta(seconds=retry_in) if retry_in is not None else None,
        )
        await self._appender.append([(self._subjects.state, fact)])
        self._last = fact
