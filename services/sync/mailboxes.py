"""The account's mailboxes, kept equal to what the server lists: found, renamed, lost, opened."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

import structlog

from contracts import ids
from contracts.facts import MailboxFound, MailboxLost, MailboxMarked, SpecialUse
from contracts.provider import MailboxError, MailboxStatus, MailSource, RemoteMailbox
from contracts.subjects import AccountSubjects
from services.sync.cursor import Appender, Cursor
from services.sync.memory import Found, Memory, found

FIRST = (SpecialUse.INBOX, SpecialUse.SENT)
"""What people look at first, read first."""

log = structlog.get_logger()


class Mailboxes:
    """A cursor a mailbox that is there; also answers the provider's questions of what was told (`KnownMessages`)."""

    def __init__(
        self,
        appender: Appender,
        subjects: AccountSubjects,
        memory: Memory,
        known: Mapping[UUID, Found],
        marks: Mapping[UUID, MailboxMarked],
    ) -> None:
        self._appender = appender
        self._subjects = subjects
        self._memory = memory
        self._marks = dict(marks)
        self._cursors = {
            mailbox.id: self._cursor(mailbox, marks.get(mailbox.id)) for mailbox in known.values() if not mailbox.lost
        }

    @property
    def inbox(self) -> Cursor | None:
        return next((one for one in self.opened if one.mailbox.special_use is SpecialUse.INBOX), None)

    @property
    def opened(self) -> list[Cursor]:
        """Those that can be read, in the order in which they are."""
        return sorted((one for one in self._cursors.values() if one.opened and one.mailbox.selectable), key=_order)

    async def flags(self, mailbox: str, uidvalidity: int) -> Mapping[int, frozenset[str]]:
        """Every UID told and not expunged since, with the flags last told."""
        for one in self.opened:
            if one.mailbox.path == mailbox and one.mark.uidvalidity == uidvalidity:
                return await self._memory.placements(one.mailbox.id, one.mark.generation, self._appender.last_sequence)
        return {}

    async def refresh(self, listed: Sequence[RemoteMailbox], source: MailSource) -> None:
        """Tell what the listing changes. A mailbox that moved keeps its id where its UIDs prove that it is the same."""
        by_path = {one.mailbox.path: one for one in self._cursors.values()}
        gone = [one for path, one in by_path.items() if path not in {remote.path for remote in listed}]
        fresh = [remote for remote in listed if remote.path not in by_path]
        for remote in fresh:
            renamed = _same(remote, gone, fresh)
            if renamed is not None:
                gone.remove(renamed)
                await self._tell(renamed, remote)
            else:
                await self._find(remote, source)
        for one in gone:
            await self._lose(one)
        for remote in listed:
            known = by_path.get(remote.path)
            if known is not None and _described(known.mailbox) != _described(remote):
                await self._tell(known, remote)
            if known is not None and remote.selectable and not known.opened:
                await self._open(known, remote, source, [])

    async def advance(self) -> None:
        """What is remembered stands for all that was told so far."""
        await self._memory.remember([], self._appender.last_sequence)

    async def _find(self, remote: RemoteMailbox, source: MailSource) -> None:
        status = await _status(remote, source)
        if remote.selectable and status is None:
            return  # gone since it was listed, or not ours to see: the next listing tells
        mailbox_id = self._mint(remote.path, status.uidvalidity if status else 0)
        fact = self._fact(mailbox_id, remote)
        one = self._cursor(found(fact), self._marks.get(mailbox_id))
        if status is None:
            await self._appender.append([(self._subjects.mailbox(mailbox_id), fact)])
        else:
            await one.open(status, [fact])
        self._cursors[mailbox_id] = one
        await self._memory.remember([one.mailbox], self._appender.last_sequence)

    async def _open(
        self, one: Cursor, remote: RemoteMailbox, source: MailSource, facts: Sequence[MailboxFound]
    ) -> None:
        status = await _status(remote, source)
        if status is not None:
            await one.open(status, facts)

    async def _tell(self, one: Cursor, remote: RemoteMailbox) -> None:
        """The same mailbox, under another path or for another use."""
        fact = self._fact(one.mailbox.id, remote)
        await self._appender.append([(self._subjects.mailbox(one.mailbox.id), fact)])
        one.mailbox = found(fact)
        await self._memory.remember([one.mailbox], self._appender.last_sequence)

    async def _lose(self, one: Cursor) -> None:
        subjects = self._subjects
        fact = MailboxLost(
            user_id=subjects.user_id, account_id=subjects.account_id, at=datetime.now(UTC), mailbox_id=one.mailbox.id
        )
        await self._appender.append([(subjects.mailbox(one.mailbox.id), fact)])
        del self._cursors[one.mailbox.id]
        if one.opened:
            self._marks[one.mailbox.id] = one.mark
        await self._memory.remember([one.mailbox._replace(lost=True)], self._appender.last_sequence)

    def _mint(self, path: str, uidvalidity: int) -> UUID:
        """The id of a path at first sight, unless a mailbox that was renamed has it still."""
        while (mailbox_id := ids.mailbox_id(self._subjects.account_id, path, uidvalidity)) in self._cursors:
            path += "\0"  # which no path holds
        return mailbox_id

    def _fact(self, mailbox_id: UUID, remote: RemoteMailbox) -> MailboxFound:
        return MailboxFound(
            user_id=self._subjects.user_id,
            account_id=self._subjects.account_id,
            at=datetime.now(UTC),
            mailbox_id=mailbox_id,
            path=remote.path,
            delimiter=remote.delimiter,
            special_use=remote.special_use,
            selectable=remote.selectable,
        )

    def _cursor(self, mailbox: Found, mark: MailboxMarked | None) -> Cursor:
        return Cursor(self._appender, self._subjects, mailbox, mark)


async def _status(remote: RemoteMailbox, source: MailSource) -> MailboxStatus | None:
    """As listed, else asked for; None for what can't be opened."""
    if remote.status is not None or not remote.selectable:
        return remote.status
    try:
        return await source.status(remote.path)
    except MailboxError:
        return None


def _same(remote: RemoteMailbox, gone: Iterable[Cursor], fresh: Iterable[RemoteMailbox]) -> Cursor | None:
    """A rename keeps UIDVALIDITY and UIDs (RFC 3501 §6.3.5); some servers give many mailboxes one UIDVALIDITY."""
    status = remote.status
    if status is None:
        return None
    before = [one for one in gone if one.opened and one.mark.uidvalidity == status.uidvalidity]
    after = [other for other in fresh if other.status and other.status.uidvalidity == status.uidvalidity]
    if len(before) == len(after) == 1 and status.uidnext > before[0].mark.high_uid:
        return before[0]
    return None


def _described(mailbox: Found | RemoteMailbox) -> tuple[object, ...]:
    return mailbox.delimiter, mailbox.special_use, mailbox.selectable


def _order(one: Cursor) -> tuple[int, str]:
    use = one.mailbox.special_use
    return (FIRST.index(use) if use in FIRST else len(FIRST)), one.mailbox.path
