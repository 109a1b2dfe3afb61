"""A mail server in memory, seen through `contracts.provider.MailSource`: what it holds, and what it was asked for."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from contracts import uidset
from contracts.facts import SpecialUse
from contracts.provider import (
    Batch,
    FlagChange,
    KnownMessages,
    Listed,
    MailboxDelta,
    MailboxError,
    MailboxStatus,
    ProviderConnectError,
    RemoteMailbox,
    RemoteMessage,
    Seen,
)
from services.parsing.evidence import evidence

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Held:
    """One message. `poison`: whoever asks for it loses the connection. `refused`: the server says NO to its content."""

    raw: bytes
    flags: frozenset[str]
    date: datetime
    email_id: str = ""
    poison: bool = False
    refused: bool = False
    modseq: int = 1


@dataclass
class Box:
    """A mailbox; every change is made by these methods."""

    uidvalidity: int = 1
    uidnext: int = 1
    modseq: int = 1
    held: dict[int, Held] = field(default_factory=dict)
    gone: list[tuple[int, int]] = field(default_factory=list)

    def add(self, raw: bytes, *flags: str, email_id: str = "", poison: bool = False, refused: bool = False) -> int:
        uid = self.uidnext
        self.uidnext += 1
        self.modseq += 1
        date = START + timedelta(minutes=len(raw))
        self.held[uid] = Held(raw, frozenset(flags), date, email_id, poison, refused, self.modseq)
        return uid

    def flag(self, uid: int, *flags: str) -> None:
        self.modseq += 1
        self.held[uid].flags = frozenset(flags)
        self.held[uid].modseq = self.modseq

    def expunge(self, *uids: int) -> None:
        self.modseq += 1
        for uid in uids:
            del self.held[uid]
            self.gone.append((self.modseq, uid))

    def renumber(self, uidvalidity: int, *, first: int = 1) -> None:
        """Every message gets another UID."""
        self.uidvalidity = uidvalidity
        self.held = dict(enumerate(self.held.values(), first))
        self.uidnext = first + len(self.held)
        self.gone.clear()

    def status(self, *, condstore: bool) -> MailboxStatus:
        modseq = self.modseq if condstore else None
        return MailboxStatus(
            uidvalidity=self.uidvalidity, uidnext=self.uidnext, messages=len(self.held), highestmodseq=modseq
        )


class MailServer:
    """Implements `MailSource`. `fetched` has every UID whose content was given; `known` is the caller's memory."""

    labelled = False

    def __init__(self, *, condstore: bool = True) -> None:
        self.condstore = condstore
        self.boxes: dict[str, Box] = {"INBOX": Box()}
        self.fetched: list[int] = []
        self.known: KnownMessages | None = None
        self.dies_after: int | None = None
        """So many batches, and then the connection is lost."""

    def asked_by(self, known: KnownMessages) -> "MailServer":
        """As a provider is made."""
        self.known = known
        return self

    @property
    def inbox(self) -> Box:
        return self.boxes["INBOX"]

    def truth(self) -> Mapping[str, Mapping[int, frozenset[str]]]:
        """By path: UIDs and flags."""
        return {path: {uid: one.flags for uid, one in box.held.items()} for path, box in self.boxes.items()}

    async def verify(self) -> None:
        return

    async def quota(self) -> None:
        return

    async def list_mailboxes(self) -> Sequence[RemoteMailbox]:
        return [
            RemoteMailbox(
                path=path,
                delimiter="/",
                selectable=True,
                special_use=SpecialUse.INBOX if path == "INBOX" else None,
                status=box.status(condstore=self.condstore),
            )
            for path, box in self.boxes.items()
        ]

    async def status(self, mailbox: str) -> MailboxStatus:
        if self.dies_after is not None and self.dies_after < 0:
            raise ProviderConnectError("unavailable", "the server goes down")
        return self.boxes[mailbox].status(condstore=self.condstore)

    async def backfill(
        self, mailbox: str, *, uidvalidity: int, below: int | None = None, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        box = self._numbered(mailbox, uidvalidity)
        uids = sorted((uid for uid in box.held if below is None or uid < below), reverse=True)
        if not uids:
            yield Batch(uidvalidity=uidvalidity, floor=1, messages=())
        for start in range(0, len(uids), batch_size):
            part = uids[start : start + batch_size]
            yield self._batch(mailbox, uidvalidity, part, floor=1 if part[-1] == uids[-1] else part[-1])

    async def fetch(
        self, mailbox: str, uids: Iterable[int], *, uidvalidity: int, batch_size: int = 200
    ) -> AsyncIterator[Batch]:
        asked = sorted(set(uids))
        for start in range(0, len(asked), batch_size):
            part = asked[start : start + batch_size]
            yield self._batch(mailbox, uidvalidity, part, floor=part[0])

    async def listing(
        self, mailbox: str, *, uidvalidity: int, batch_size: int = 1000
    ) -> AsyncIterator[Sequence[Listed]]:
        box = self._numbered(mailbox, uidvalidity)
        uids = sorted(box.held)
        for start in range(0, len(uids), batch_size):
            self._live()
            yield [_listed(uid, box.held[uid]) for uid in uids[start : start + batch_size]]

    async def uids(self, mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        box = self._numbered(mailbox, uidvalidity)
        return box.status(condstore=self.condstore), uidset.compact(box.held)

    async def poll(self, mailbox: str, seen: Seen) -> MailboxDelta:
        box = self.boxes[mailbox]
        status = box.status(condstore=self.condstore)
        if box.uidvalidity != seen.uidvalidity:
            return MailboxDelta(status=status, reset=True)
        told = [uid for uid in box.held if uid <= seen.high_uid]
        if self.condstore and seen.highestmodseq is not None:
            changed = [uid for uid in told if box.held[uid].modseq > seen.highestmodseq]
            gone = [uid for modseq, uid in box.gone if modseq > seen.highestmodseq and uid <= seen.high_uid]
        else:
            assert self.known is not None
            known = await self.known.flags(mailbox, seen.uidvalidity)
            changed = [uid for uid in told if uid in known and known[uid] != box.held[uid].flags]
            gone = [uid for uid in known if uid not in box.held]
        return MailboxDelta(
            status=status,
            new_uids=tuple(uid for uid in sorted(box.held) if uid > seen.high_uid),
            flag_changes=tuple(_change(uid, box.held[uid], condstore=self.condstore) for uid in changed),
            expunged=uidset.compact(gone),
        )

    async def idle(self, mailbox: str, status: MailboxStatus) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        return

    def _numbered(self, mailbox: str, uidvalidity: int) -> Box:
        box = self.boxes[mailbox]
        if box.uidvalidity != uidvalidity:
            raise MailboxError("uidvalidity_changed", "numbered anew")
        return box

    def _live(self) -> None:
        if self.dies_after is not None:
            self.dies_after -= 1
            if self.dies_after < 0:
                raise ProviderConnectError("unavailable", "the server goes down")

    def _batch(self, mailbox: str, uidvalidity: int, uids: Sequence[int], *, floor: int) -> Batch:
        box = self._numbered(mailbox, uidvalidity)
        self._live()
        there = [uid for uid in uids if uid in box.held]
        if any(box.held[uid].poison for uid in there):
            raise ProviderConnectError("connection_lost", "the server hung up")
        given = [uid for uid in there if not box.held[uid].refused]
        self.fetched += given
        return Batch(
            uidvalidity=uidvalidity,
            floor=floor,
            messages=tuple(_message(uid, box.held[uid], condstore=self.condstore) for uid in given),
            missing=tuple(uid for uid in uids if uid not in box.held),
            unreadable=tuple(uid for uid in there if uid not in given),
        )


def _message(uid: int, held: Held, *, condstore: bool) -> RemoteMessage:
    return RemoteMessage(
        uid=uid,
        raw=held.raw,
        size=len(held.raw),
        flags=held.flags,
        internal_date=held.date,
        modseq=held.modseq if condstore else None,
        email_id=held.email_id or None,
    )


def _listed(uid: int, held: Held) -> Listed:
    return Listed(
        uid=uid,
        flags=held.flags,
        internal_date=held.date,
        size=len(held.raw),
        evidence=evidence(held.raw),
        modseq=held.modseq,
        email_id=held.email_id or None,
    )


def _change(uid: int, held: Held, *, condstore: bool) -> FlagChange:
    return FlagChange(uid=uid, flags=held.flags, modseq=held.modseq if condstore else None)
