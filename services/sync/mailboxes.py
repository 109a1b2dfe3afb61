"""The account's mailboxes, kept equal to what the server lists: found, renamed, lost, opened."""

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from contracts import ids
from contracts.facts import Fact, MailboxFound, MailboxLost, MailboxMarked, SpecialUse
from contracts.provider import MailboxError, MailboxStatus, MailSource, ProviderNotSupported, RemoteMailbox
from contracts.subjects import AccountSubjects
from services.sync import tree
from services.sync.cursor import Appender, Cursor
from services.sync.labels import SYNCED, Labels
from services.sync.memory import Found, Memory, found

FIRST = (SpecialUse.ALL, SpecialUse.INBOX, SpecialUse.SENT)
"""What people look at first, read first."""

UNREADABLE = 3600.0
"""Seconds before a mailbox that the server lists and would not open is tried again."""

AT_ONCE = 200
"""New mailboxes in one batch; each has up to four facts."""

UNKNOWN = MailboxStatus(uidvalidity=0, uidnext=1, messages=0)
"""Of a label whose own numbering the server doesn't tell."""


class Mailboxes:
    """A cursor a mailbox that is there; also answers the provider's questions of what was told (`KnownMessages`).

    `chosen`: what the account's owner uses mailboxes for, where the server doesn't say.
    """

    def __init__(
        self,
        appender: Appender,
        subjects: AccountSubjects,
        memory: Memory,
        known: Mapping[UUID, Found],
        marks: Mapping[UUID, MailboxMarked],
        *,
        chosen: Mapping[SpecialUse, UUID] | None = None,
    ) -> None:
        self.chosen = chosen or {}
        self._appender = appender
        self._subjects = subjects
        self._memory = memory
        self._marks = dict(marks)
        self._labelled = False
        self._views: frozenset[str] = frozenset()
        self._leader: Cursor | None = None
        self._refreshing = asyncio.Lock()
        self._cursors = {
            mailbox.id: self._cursor(mailbox, marks.get(mailbox.id)) for mailbox in known.values() if not mailbox.lost
        }

    @property
    def watched(self) -> Cursor | None:
        """Where news is waited for: the inbox, or where its mail is filed."""
        use = SpecialUse.ALL if self._labelled else SpecialUse.INBOX
        return next((one for one in self.opened if one.mailbox.special_use is use), None)

    @property
    def opened(self) -> list[Cursor]:
        """Those that are read, in the order in which they are."""
        return sorted((one for one in self._cursors.values() if self._is_read(one)), key=_order)

    async def flags(self, mailbox: str, uidvalidity: int) -> Mapping[int, frozenset[str]]:
        """Every UID told and not expunged since, with the flags last told."""
        for one in self.opened:
            if one.mailbox.path == mailbox and one.mark.uidvalidity == uidvalidity:
                return await self._memory.placements(one.mailbox.id, one.mark.generation, self._appender.last_sequence)
        return {}

    async def refresh(self, listed: Sequence[RemoteMailbox], source: MailSource) -> None:
        """Tell what the listing changes. A mailbox that moved keeps its id where the server can say that it is the same."""
        async with self._refreshing:
            self._labelled = source.labelled and any(remote.special_use is SpecialUse.ALL for remote in listed)
            self._views = tree.views(listed) if self._labelled else frozenset()
            pairs, fresh, gone = tree.paired(listed, self._cursors.values())
            uses = tree.uses(listed, pairs, self.chosen)
            for one, remote in pairs:
                await self._follow(one, remote, uses.get(remote.path), source)
            cursors = {remote.path: one for one, remote in pairs}
            for some in _together(fresh.values()):
                cursors |= await self._find(some, uses, source)
            for one in gone.values():
                await self._lose(one)
            await self._lead(cursors, listed, source)
            await self._confirm(cursors, listed)

    async def advance(self) -> None:
        """What is remembered stands for all that was told so far."""
        await self._memory.remember([], self._appender.last_sequence)

    def _is_read(self, one: Cursor) -> bool:
        if not one.opened or not one.mailbox.selectable or one.following:
            return False
        use = one.mailbox.special_use
        return not self._labelled or (use in SYNCED and (use is not SpecialUse.ALL or one.labels is not None))

    def _is_label(self, use: SpecialUse | None) -> bool:
        return self._labelled and use not in SYNCED

    async def _follow(self, one: Cursor, remote: RemoteMailbox, use: SpecialUse | None, source: MailSource) -> None:
        """A mailbox that is there, under whatever path and for whatever use; opened if it can be by now."""
        label = self._is_label(use)
        status = remote.status if label else await _status(one, remote, source)
        fact = self._fact(one.mailbox.id, remote, use, readable=label or status is not None)
        if found(fact) != one.mailbox:
            await self._tell(one, fact)
        if not label and status is not None and (not one.opened or one.following):
            await one.open(status)

    async def _find(
        self, fresh: Sequence[RemoteMailbox], uses: Mapping[str, SpecialUse], source: MailSource
    ) -> dict[str, Cursor]:
        """Mailboxes that are new, told and opened in one batch, since each waits for the disk."""
        cursors: dict[str, Cursor] = {}
        facts: list[Fact] = []
        opened: list[tuple[Cursor, MailboxMarked]] = []
        for remote in fresh:
            use = uses.get(remote.path)
            label = self._is_label(use)
            status = remote.status if label else await _status(None, remote, source)
            mailbox_id = self._mint(remote.path, status.uidvalidity if status else 0)
            fact = self._fact(mailbox_id, remote, use, readable=label or status is not None)
            one = cursors[remote.path] = self._cursor(found(fact), None if label else self._marks.get(mailbox_id))
            facts.append(fact)
            if label or status is None:
                one.parked_at = time.monotonic() if remote.selectable and not label else None
            else:
                opening, mark = one.opening(status)
                facts += [*opening, mark]
                opened.append((one, mark))
        await one.say(facts)
        for one, mark in opened:
            one.begin(mark)
        self._cursors |= {one.mailbox.id: one for one in cursors.values()}
        await self._memory.remember([one.mailbox for one in cursors.values()], self._appender.last_sequence)
        return cursors

    async def _tell(self, one: Cursor, fact: MailboxFound) -> None:
        """The same mailbox, under another path or for another use."""
        await one.say([fact])
        if fact.path != one.mailbox.path:
            one.parked_at = one.refused_at = None  # it may have been the old path that the server refused
        one.mailbox = found(fact)
        await self._memory.remember([one.mailbox], self._appender.last_sequence)

    async def _lose(self, one: Cursor) -> None:
        who, mailbox = one.who._asdict(), one.mailbox
        await one.say([MailboxLost(**who, at=datetime.now(UTC), mailbox_id=mailbox.id)])
        del self._cursors[mailbox.id]
        if one.opened:
            self._marks[mailbox.id] = one.mark
        await self._memory.remember([mailbox._replace(lost=True)], self._appender.last_sequence)
        await self._memory.uncheck(mailbox.id)

    async def _lead(self, cursors: Mapping[str, Cursor], listed: Sequence[RemoteMailbox], source: MailSource) -> None:
        """Where mail is filed once and shown under labels, their mailboxes follow that of all mail."""
        everything = [one for one in self._cursors.values() if one.mailbox.special_use is SpecialUse.ALL and one.opened]
        leader = everything[0] if self._labelled and everything else None
        moved = self._leader is not None and self._leader is not leader
        self._leader = leader
        for one in self._cursors.values():
            if one is not leader:
                one.labels, one.followers = None, []
        if leader is None:
            return

        async def learn() -> None:
            await self.refresh(await source.list_mailboxes(), source)

        statuses = {cursors[remote.path].mailbox.id: remote.status for remote in listed if remote.status}
        labels = [one for one in cursors.values() if self._is_label(one.mailbox.special_use) and one.mailbox.selectable]
        leader.followers = [await self._as_follower(one, leader, moved=moved) for one in labels]
        for one in leader.followers:
            if not one.opened or one.mark.generation != leader.mark.generation:
                await one.follow(leader, statuses.get(one.mailbox.id, UNKNOWN))
        leader.labels = leader.labels or Labels(leader, self._memory)
        leader.labels.listed({mailbox: status.messages for mailbox, status in statuses.items()}, learn)

    async def _as_follower(self, one: Cursor, leader: Cursor, *, moved: bool) -> Cursor:
        """The same, told anew if it was told under a numbering that is not the leader's."""
        if not one.opened or (one.following and not moved and one.mark.generation <= leader.mark.generation):
            return one
        await self._lose(one)
        again = self._cursor(one.mailbox, None)
        await self._tell(again, self._found_again(one.mailbox))
        self._cursors[one.mailbox.id] = again
        return again

    async def _confirm(self, cursors: Mapping[str, Cursor], listed: Sequence[RemoteMailbox]) -> None:
        """A mailbox that an audit found equal still is if the server says the same of it; else once it was polled and the
        numbers agree.
        """
        same: list[UUID] = []
        for remote in listed:
            one, status = cursors[remote.path], remote.status
            if one.checked is None or status is None:
                continue
            if one.checked == status:
                same.append(one.mailbox.id)
            elif one.seen == status:
                held = await self._memory.count(one.mailbox.id, one.mark.generation, self._appender.last_sequence)
                one.checked = status if held == status.messages else None
                await self._memory.check(one.mailbox.id, held, status.messages, equal=held == status.messages)
        await self._memory.check_again(same)

    def _mint(self, path: str, uidvalidity: int) -> UUID:
        """The id of a path at first sight, unless a mailbox that was renamed has it still."""
        while (mailbox_id := ids.mailbox_id(self._subjects.account_id, path, uidvalidity)) in self._cursors:
            path += "\0"  # which no path holds
        return mailbox_id

    def _fact(self, mailbox_id: UUID, remote: RemoteMailbox, use: SpecialUse | None, *, readable: bool) -> MailboxFound:
        return MailboxFound(
            user_id=self._subjects.user_id,
            account_id=self._subjects.account_id,
            at=datetime.now(UTC),
            mailbox_id=mailbox_id,
            path=remote.path,
            delimiter=remote.delimiter,
            special_use=use,
            selectable=remote.selectable and readable and remote.path not in self._views,
            remote_id=remote.remote_id,
        )

    def _found_again(self, mailbox: Found) -> MailboxFound:
        return MailboxFound(
            user_id=self._subjects.user_id,
            account_id=self._subjects.account_id,
            at=datetime.now(UTC),
            mailbox_id=mailbox.id,
            path=mailbox.path,
            delimiter=mailbox.delimiter,
            special_use=mailbox.special_use,
            selectable=mailbox.selectable,
            remote_id=mailbox.remote_id,
        )

    def _cursor(self, mailbox: Found, mark: MailboxMarked | None) -> Cursor:
        return Cursor(self._appender, self._subjects, mailbox, mark, self._memory)


async def _status(one: Cursor | None, remote: RemoteMailbox, source: MailSource) -> MailboxStatus | None:
    """How a mailbox is that can be opened: as listed, else as the server answers; None for what can't be.

    One that was refused before anything of it was read is asked for again only after a while.
    """
    if not remote.selectable:
        return None
    refused = one is not None and one.parked_at is not None and (not one.opened or one.untold)
    if one is None or (one.mailbox.selectable and not refused):
        if remote.status is not None:
            return remote.status
        if one is not None and one.opened and not one.following:
            return UNKNOWN
    elif one.parked_at is not None and time.monotonic() - one.parked_at < UNREADABLE:
        return None
    try:
        status = await source.status(remote.path)
    except (MailboxError, ProviderNotSupported):
        if one is not None:
            one.parked_at = one.refused_at = time.monotonic()
        return None
    if one is not None:
        one.parked_at = one.refused_at = None
    return status


def _together(fresh: Collection[RemoteMailbox]) -> Iterator[Sequence[RemoteMailbox]]:
    """Many where all is known of them; one that the server has to be asked for by itself, so that its trouble is its own."""
    listed = [remote for remote in fresh if remote.status is not None]
    for start in range(0, len(listed), AT_ONCE):
        yield listed[start : start + AT_ONCE]
    yield from ([remote] for remote in fresh if remote.status is None)


def _order(one: Cursor) -> tuple[int, str]:
    use = one.mailbox.special_use
    return (FIRST.index(use) if use in FIRST else len(FIRST)), one.mailbox.path
