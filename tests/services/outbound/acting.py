"""A user who acts on mail: requests as the gateway makes them, and what becomes of them on the server and in what is shown."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from contracts.facts import (
    DeleteRequested,
    Fact,
    FlagsRequested,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
)
from services.log.append import append
from tests.services.faults.mirror import Mirror
from tests.support.processes import until

Connect = Callable[..., Awaitable["Acting"]]
"""The fixture `act_on`."""

Outcome = RequestApplied | RequestRefused | RequestExpired


class Acting:
    """Over an account that is synced."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self.db = mirror.installed.db

    async def mailbox(self, path: str) -> UUID:
        row = await self.db.fetchrow(
            "SELECT id FROM mail.mailboxes WHERE account_id = $1 AND path = $2", self.mirror.account.account_id, path
        )
        assert row, path
        found: UUID = row["id"]
        return found

    async def messages(self, path: str = "INBOX") -> list[UUID]:
        """By UID."""
        rows = await self.db.fetch(
            "SELECT message_id FROM mail.placements WHERE mailbox_id = $1 AND uid IS NOT NULL ORDER BY uid",
            await self.mailbox(path),
        )
        return [row["message_id"] for row in rows]

    async def ask(self, kind: type[Fact], messages: Sequence[UUID], *, ago: float = 0, **what: Any) -> UUID:
        account = self.mirror.account
        request = kind(
            user_id=account.user_id,
            account_id=account.account_id,
            at=datetime.now(UTC) - timedelta(seconds=ago),
            request_id=uuid4(),
            message_ids=list(messages),
            **what,
        )
        assert isinstance(request, FlagsRequested | MoveRequested | DeleteRequested)
        await append(self.mirror.installed.gateway, account.request, request, key=str(request.request_id))
        return request.request_id

    async def flag(self, messages: Sequence[UUID], add: Sequence[str] = (), remove: Sequence[str] = ()) -> UUID:
        return await self.ask(FlagsRequested, messages, add=list(add), remove=list(remove))

    async def move(self, messages: Sequence[UUID], source: str | None, target: str) -> UUID:
        return await self.move_to(messages, source, await self.mailbox(target))

    async def move_to(self, messages: Sequence[UUID], source: str | None, target: UUID) -> UUID:
        place = await self.mailbox(source) if source else None
        return await self.ask(MoveRequested, messages, source=place, target=target)

    async def delete(self, messages: Sequence[UUID], path: str) -> UUID:
        return await self.ask(DeleteRequested, messages, mailbox_id=await self.mailbox(path))

    async def outcomes(self) -> list[Outcome]:
        return [fact for fact in await self.mirror.facts() if isinstance(fact, Outcome)]

    async def outcome(self, request: UUID, *, seconds: float = 20) -> Outcome:
        """Wait for it; there is exactly one."""
        found: list[Outcome] = []

        async def there() -> bool:
            found[:] = [one for one in await self.outcomes() if one.request_id == request]
            return bool(found)

        await until(there, seconds=seconds)
        (one,) = found
        return one

    async def done(self, *requests: UUID) -> None:
        for request in requests:
            outcome = await self.outcome(request)
            assert isinstance(outcome, RequestApplied), outcome
