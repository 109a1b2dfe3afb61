"""Where the messages of a request are on their server, by the mail read model, which has folded all that matters to it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import UUID

import msgspec

from contracts.facts import SpecialUse
from contracts.provider import MailWriter
from contracts.subjects import AccountSubjects
from projections.mail import placements
from projections.mail.placements import Numbered, Target
from projections.sql import Connection, Pool, Statements
from services.outbound.errors import CannotBe, NotYet

query = Statements("services.outbound", "marks.sql")

FILED = frozenset({SpecialUse.ALL, SpecialUse.JUNK, SpecialUse.TRASH})
"""Where a server that shows mail under labels really has it."""


@dataclass(frozen=True)
class Places:
    """Of one request's messages. `message_ids`: their Message-IDs, in angle brackets."""

    mailboxes: Mapping[UUID, Target]
    numbered: Sequence[Numbered]
    message_ids: Mapping[UUID, str]

    def only(self, wanted: Callable[[Numbered], bool]) -> "Places":
        return replace(self, numbered=[one for one in self.numbered if wanted(one)])

    @property
    def labels(self) -> bool:
        return any(one.labels for one in self.mailboxes.values())

    @property
    def everything(self) -> Target:
        """The mailbox for all mail of a server with labels."""
        return next(one for one in self.mailboxes.values() if one.special_use is SpecialUse.ALL)

    def used_for(self, use: SpecialUse) -> Target | None:
        """The first by path, where a server has several."""
        return next((one for one in self.mailboxes.values() if one.special_use is use), None)

    def target(self, mailbox_id: UUID) -> Target:
        """Raises CannotBe."""
        if mailbox_id not in self.mailboxes:
            raise CannotBe("mailbox_missing")
        return self.mailboxes[mailbox_id]


async def find(db: Pool, account: AccountSubjects, messages: Sequence[UUID] = ()) -> Places:
    """As the read model has them now, in one moment."""
    user = account.user_id
    async with as_user(db, user) as connection:
        targets = await placements.targets(connection, user)
        numbered = await placements.uids(connection, user, account.account_id, messages)
        named = await placements.message_ids(connection, user, messages)
    return Places(
        mailboxes={one.id: one for one in targets if one.account_id == account.account_id},
        numbered=numbered,
        message_ids={message: f"<{name}>" for message, name in named.items()},
    )


async def account_of(db: Pool, user_id: UUID, message_id: UUID) -> UUID | None:
    """Where a message is; None when it is nowhere."""
    async with as_user(db, user_id) as connection:
        found: UUID | None = await connection.fetchval(query.account_of, user_id, message_id)
    return found


@asynccontextmanager
async def as_user(db: Pool, user_id: UUID) -> AsyncIterator[Connection]:
    """What this user may see, in one moment."""
    async with db.acquire() as connection, connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute("SELECT set_config('app.user_id', $1, true)", str(user_id))
        yield connection


async def number(places: Places, writer: MailWriter) -> Places:
    """With the UIDs that nobody has told yet: of what was moved a moment ago, by its Message-ID. Raises NotYet."""
    return replace(places, numbered=[await _numbered(one, places, writer) for one in places.numbered])


async def _numbered(one: Numbered, places: Places, writer: MailWriter) -> Numbered:
    if one.uid is not None:
        return one
    path = places.everything.path if places.labels and one.special_use not in FILED else one.path
    uids = await look(writer, path, one.uidvalidity, places.message_ids.get(one.message_id))
    if len(uids) != 1:
        raise NotYet("a message has no uid yet")
    return msgspec.structs.replace(one, uid=uids[0])


async def look(writer: MailWriter, path: str, uidvalidity: int | None, message_id: str | None) -> Sequence[int]:
    """UIDs of messages with a Message-ID; none where the mailbox is not numbered so (None: in whatever way)."""
    if message_id is None:
        return []
    status, uids = await writer.find(path, message_id)
    return uids if uidvalidity in (None, status.uidvalidity) else []
