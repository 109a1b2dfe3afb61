"""Whose job comes next."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from services.jobs import fair
from services.jobs.job import Job

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def queued(user: UUID, *, ago: float) -> Job:
    at = NOW - timedelta(seconds=ago)
    return Job(
        id=uuid4(),
        user_id=user,
        account_id=uuid4(),
        kind="backfill",
        state="queued",
        created_at=at,
        due_at=at,
        by="user",
    )


def running(job: Job, *, left: float = 60) -> Job:
    return msgspec.structs.replace(job, state="running", lease_until=NOW + timedelta(seconds=left))


def test_a_thousand_jobs_of_one_do_not_keep_anothers_one_waiting() -> None:
    greedy, modest = uuid4(), uuid4()
    jobs = [queued(greedy, ago=5000 - n) for n in range(1000)]
    late = queued(modest, ago=1)
    first, second = fair.choose([*jobs, late], NOW, 2)
    assert (first, second) == (jobs[0], late)
    (only,) = fair.choose([running(jobs[0]), *jobs[1:], late], NOW, 1)
    assert only is late


def test_all_of_them_come_in_turn_and_none_twice() -> None:
    one, two = uuid4(), uuid4()
    waiting = {
        job.id: job for job in [*(queued(one, ago=900 - n) for n in range(30)), *(queued(two, ago=n) for n in range(3))]
    }
    order = []
    while waiting:
        (chosen,) = fair.choose(waiting.values(), NOW, 1)
        order.append(waiting.pop(chosen.id))
    assert len(order) == 33


def test_among_equals_the_one_that_fell_due_first_is_first() -> None:
    jobs = [queued(uuid4(), ago=ago) for ago in (5, 50, 20)]
    assert fair.choose(jobs, NOW, 3) == [jobs[1], jobs[2], jobs[0]]


def test_who_has_nothing_running_comes_before_who_waits_longer() -> None:
    busy, idle = uuid4(), uuid4()
    long, short = queued(busy, ago=1000), queued(idle, ago=1)
    assert fair.choose([running(queued(busy, ago=2000)), long, short], NOW, 2) == [short, long]


def test_what_is_not_due_or_runs_or_has_ended_is_not_chosen() -> None:
    user = uuid4()
    later = queued(user, ago=-10)
    ended = queued(user, ago=10).ended("done", NOW)
    assert fair.choose([later, running(queued(user, ago=10)), ended], NOW, 5) == []


def test_a_claim_that_is_over_is_chosen_again() -> None:
    left = running(queued(uuid4(), ago=1000), left=-1)
    assert fair.choose([left], NOW, 5) == [left]


def test_no_more_are_looked_at_than_a_hundred() -> None:
    assert len(fair.choose([queued(uuid4(), ago=n) for n in range(300)], NOW, 300)) == fair.MOST
