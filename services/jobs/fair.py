"""Which jobs come next: nobody's many jobs keep another's one waiting."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from services.jobs.job import Job

MOST = 100
"""Due jobs that are looked at in one turn."""


def choose(jobs: Iterable[Job], now: datetime, room: int) -> list[Job]:
    """At most `room` of the jobs that may be claimed: of who has the least running first, then as they fell due.

    `jobs`: all that this process may claim, the running ones included, since they count for their users.
    """
    running: Counter[UUID] = Counter()
    due: defaultdict[UUID, list[Job]] = defaultdict(list)
    for job in jobs:
        if job.may_be_claimed(now):
            due[job.user_id].append(job)
        elif job.state == "running":
            running[job.user_id] += 1
    for waiting in due.values():
        waiting.sort(key=_age, reverse=True)
    turns = [_turn(running[user], waiting) for user, waiting in due.items()]
    heapq.heapify(turns)
    chosen: list[Job] = []
    while turns and len(chosen) < min(room, MOST):
        busy, _, _, _, user = heapq.heappop(turns)
        chosen.append(due[user].pop())
        if due[user]:
            heapq.heappush(turns, _turn(busy + 1, due[user]))
    return chosen


def _age(job: Job) -> tuple[datetime, datetime, UUID]:
    return job.due_at, job.created_at, job.id


def _turn(busy: int, waiting: list[Job]) -> tuple[int, datetime, datetime, UUID, UUID]:
    return busy, *_age(waiting[-1]), waiting[-1].user_id
