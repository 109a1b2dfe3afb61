"""The bucket of jobs: read by its leader's word, written by compare-and-set, so that of all who write at once one wins.

`<user>.<account>` is the account's current job, or its last one; its revision is the fencing token. One that another has
followed is kept under `<user>.<account>.<job>`. Entries of ended jobs name their own end.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec
import structlog

from contracts.streams import SYNC_JOBS
from services.jobs.job import Job
from services.log import api, headers
from services.log.api import Stored
from services.log.connection import Connection
from services.log.errors import Conflict, Refused, Unavailable

STREAM = f"KV_{SYNC_JOBS.name}"
PREFIX = f"$KV.{SYNC_JOBS.name}"
PATIENCE = 8.0
"""Seconds for which the log is asked again before it counts as away."""

_PAGE = 1000
_PAUSE = 0.02
_PAUSE_MOST = 1.0

log = structlog.get_logger()


class Entry(NamedTuple):
    """What stands under a key, and its revision; 0 and no job: nothing."""

    revision: int
    job: Job | None


def current(user_id: UUID, account_id: UUID) -> str:
    return f"{PREFIX}.{user_id}.{account_id}"


def ended(job: Job) -> str:
    return f"{current(job.user_id, job.account_id)}.{job.id}"


def ended_of(user_id: UUID, job_id: UUID) -> str:
    """The filter that finds an ended job without its account."""
    return f"{PREFIX}.{user_id}.*.{job_id}"


def currents(user_id: UUID) -> str:
    """The filter over the current or last job of each of a user's accounts."""
    return f"{PREFIX}.{user_id}.*"


def of_user(user_id: UUID) -> str:
    """The filter over everything of one user."""
    return f"{PREFIX}.{user_id}.>"


def of_account(user_id: UUID, account_id: UUID) -> tuple[str, str]:
    """The filters over everything of one account."""
    key = current(user_id, account_id)
    return key, f"{key}.>"


class Store:
    """Raises Unavailable when the log does not answer for `PATIENCE`."""

    def __init__(self, nc: Connection) -> None:
        self.nc = nc

    async def read(self, key: str) -> Entry:
        """The last entry under a key or filter, by the leader."""
        return _entry(await self._last(key))

    async def under(self, filtered: str) -> list[Job]:
        """Everything under a filter, oldest write first; complete, by the leader's word."""
        found: dict[str, Stored] = {}
        after, wait = 0, _Patience()
        while True:
            try:
                if not (messages := await self._page(filtered, after)) and await self._is_all(filtered, after):
                    return _jobs(sorted(found.values()))
                trouble: Exception = Unavailable("no replica knows all jobs")  # one that lags behind knows less
            except (Refused, Unavailable) as error:
                messages, trouble = [], error
            if not messages:
                await wait.a_moment(trouble)
            for message in messages:
                found[message.subject], after = message, message.sequence

    async def write(self, key: str, job: Job, *, expected: int, under: str = "", ttl: int = 0) -> int:
        """Store it if `expected` is still the last revision of the key, or of the filter `under`; the new revision.

        Raises Conflict. An answer that was lost is settled by asking the leader: no two writes are alike.
        """
        data = msgspec.json.encode(job)
        more = {headers.EXPECTED: str(expected)}
        more |= {headers.EXPECTED_UNDER: under} if under else {}
        more |= {headers.TTL: f"{ttl}s"} if ttl else {}
        wait = _Patience()
        while True:
            try:
                return int((await api.publish(self.nc, key, data, more, timeout=api.TIMEOUT / 2))["seq"])
            except (Refused, Unavailable) as error:
                trouble: Refused | Unavailable = error
            last = await self._last(key)
            if last is not None and last.data == data:
                return last.sequence
            if isinstance(trouble, Refused) and trouble.code == api.WRONG_LAST_SEQUENCE:
                raise Conflict(f"{key} was written by somebody else") from trouble
            await wait.a_moment(trouble)

    async def keep(self, job: Job, ttl: int) -> None:
        """Under a key of its own; once more changes nothing."""
        entry = await self.read(ended(job))
        if entry.job is None:
            try:
                await self.write(ended(job), job, expected=entry.revision, ttl=ttl)
            except Conflict:
                return  # by another who saw it end

    async def _last(self, key: str) -> Stored | None:
        wait = _Patience()
        while True:
            try:
                return await api.from_leader(self.nc, STREAM, {"last_by_subj": key})
            except (Refused, Unavailable) as error:
                await wait.a_moment(error)

    async def _page(self, filtered: str, after: int) -> Sequence[Stored]:
        query = {"seq": after + 1, "batch": _PAGE, "next_by_subj": filtered}
        return (await api.listed(self.nc, STREAM, query)).messages

    async def _is_all(self, filtered: str, after: int) -> bool:
        return await api.from_leader(self.nc, STREAM, {"seq": after + 1, "next_by_subj": filtered}) is None


class _Patience:
    """Pauses that grow, until it ends with the trouble itself."""

    def __init__(self) -> None:
        self._deadline = time.monotonic() + PATIENCE
        self._pause = _PAUSE

    async def a_moment(self, trouble: Exception) -> None:
        if time.monotonic() + self._pause > self._deadline:
            raise trouble
        await asyncio.sleep(self._pause)
        self._pause = min(self._pause * 2, _PAUSE_MOST)


def _entry(stored: Stored | None) -> Entry:
    """What is no job, whoever put it there, is passed over and may be written over."""
    if stored is None:
        return Entry(0, None)
    try:
        return Entry(stored.sequence, msgspec.json.decode(stored.data, type=Job))
    except msgspec.MsgspecError:
        log.warning("not a job, passed over", sequence=stored.sequence)
        return Entry(stored.sequence, None)


def _jobs(messages: Sequence[Stored]) -> list[Job]:
    return [job for job in (_entry(message).job for message in messages) if job is not None]
