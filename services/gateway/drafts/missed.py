"""Copies of drafts that are not where they were put, and since when that is known: of one process, whose death only makes it later."""

import time
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID


class Absent(NamedTuple):
    """A draft of which the server had a copy as the draft is now: see `absent` in read.sql. `blob`: its bytes."""

    draft_id: UUID
    account_id: UUID
    mailbox_id: UUID
    generation: int
    uidvalidity: int
    uid: int
    edition: int
    blob: str
    continued_id: UUID | None


class Missed:
    """Each from when it was noticed first until it is judged."""

    def __init__(self) -> None:
        self._since: dict[tuple[UUID, Absent], float] = {}

    def note(self, user_id: UUID, absent: Iterable[Absent]) -> None:
        for one in absent:
            self._since.setdefault((user_id, one), time.monotonic())

    def due(self, patience: float) -> list[tuple[UUID, Absent]]:
        """Those that are missed for so many seconds, with their users; they are remembered no more."""
        latest = time.monotonic() - patience
        found = [one for one, since in self._since.items() if since <= latest]
        for one in found:
            del self._since[one]
        return found
