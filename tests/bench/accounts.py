"""Hundreds of accounts in one worker: their cost while nothing happens, how soon new mail is seen, who takes over from the dead.

python -m tests.bench.accounts [--quick]
"""

import asyncio
import signal
import time
from statistics import median
from typing import NamedTuple

from tests.bench.crowd import Crowd, Plan, Worker, installed, settled
from tests.bench.installed import workplace
from tests.bench.processes import costs, cpu_seconds, resident_mib, since
from tests.bench.report import arguments, conclude, p95, table
from tests.support.imap_farm import Farm
from tests.support.processes import kill9, until

GOAL = (
    "while nothing happens 1.5 MB an account and 10 % of a core for all; new mail visible within 2 s (p95) where an account is "
    "hot, within POLL_WARM where it is warm; a dead worker's accounts owned again within 90 s; nothing told or shown twice"
)
QUICK = Plan(accounts=24, hot=16, messages=3, quiet=3, warm=3, soon=2, ttl=4)
SPENT = 0.0005
"""CPU seconds that are worth a line."""

TELLING = 2.0
"""Seconds that a mail may take from sync's look to the list."""

PER_ACCOUNT, PER_HOST = 2, 50
"""Connections of a worker, whose PER_HOST_CONN_CAP is the default."""


async def main(*, quick: bool) -> None:
    plan = QUICK if quick else Plan()
    with workplace() as place, Farm(plan.accounts, plan.messages) as farm:
        async with installed(place) as running:
            crowd = Crowd(plan, farm, running)
            try:
                with running.running("projector"):
                    await measure(crowd)
            finally:
                crowd.end()


async def measure(crowd: Crowd) -> None:
    plan = crowd.plan
    worker = await crowd.worker(plan.warm)
    rest = await idle(crowd, worker)
    hot = await busy(crowd)
    arrivals = {"hot": hot}
    arrivals[f"warm, POLL_WARM={plan.warm}"] = await crowd.arrive(crowd.warm, plan.warm * 2)
    most = crowd.farm.count()
    over = await failovers(crowd, worker, arrivals)
    once = await crowd.once()
    table(
        ("new mail until it is shown, s", "accounts", "median", "p95", "most"),
        [(name, len(one), median(one), p95(one) / 1000, max(one)) for name, one in arrivals.items()],
    )
    table(("a worker's accounts have another owner, s", ""), [*over._asdict().items()])
    figure = {
        "mib_per_account": round(rest.mib, 2),
        "idle_core_percent": round(rest.core * 100, 1),
        "hot_p95_s": round(p95(hot) / 1000, 2),
        "warm_most_s": [round(max(one), 1) for name, one in arrivals.items() if name.startswith("warm")],
        "failover_s": round(max(over.killed, over.frozen)),
        "drained_s": round(over.drained, 1),
        "most_of_account": most.most_of_account,
        "most_of_host": most.most_of_host,
    }
    _, warm, soon, _ = arrivals.values()
    conclude(
        "accounts",
        GOAL,
        figure,
        certain=once and most.most_of_account <= PER_ACCOUNT and most.most_of_host <= PER_HOST,
        measured=rest.mib <= 1.5
        and rest.core <= 0.1
        and p95(hot) <= 2000
        and max(warm) <= plan.warm + TELLING
        and max(soon) <= plan.soon + TELLING
        and max(over.killed, over.frozen) <= 90
        and over.drained <= 10,
    )


class Rest(NamedTuple):
    """What an account has in memory, and what share of a core all of them take."""

    mib: float
    core: float


async def idle(crowd: Crowd, worker: Worker) -> Rest:
    """All accounts arrive, and then nothing happens."""
    plan, farm = crowd.plan, crowd.farm
    empty = resident_mib(worker.pid)
    started = time.monotonic()
    await crowd.connect()
    await until(crowd.complete, seconds=400)
    arrived = time.monotonic() - started
    await settled(worker)
    before, commands = cpu_seconds(worker.pid), farm.count().commands
    await asyncio.sleep(plan.quiet)
    core = (cpu_seconds(worker.pid) - before) / plan.quiet
    mib = (resident_mib(worker.pid) - empty) / plan.accounts
    now = farm.count()
    table(
        ("while nothing happens", "accounts", "s to arrive", "MiB with none", "MiB each", "% of a core", "connections"),
        [("", plan.accounts, arrived, empty, mib, core * 100, now.connections)],
    )
    table(("", "idling", "commands/s"), [("", now.idling, (now.commands - commands) / plan.quiet)])
    return Rest(mib, core)


async def busy(crowd: Crowd) -> list[float]:
    """Every hot account has new mail."""
    before = costs()
    hot = await crowd.arrive(crowd.hot, 30)
    spent = {name: cost.cpu / len(hot) for name, cost in since(before).items()}
    table(("CPU of a new mail", "ms"), [(name, cpu * 1000) for name, cpu in spent.items() if cpu > SPENT])
    return hot


class Failovers(NamedTuple):
    """Seconds until a newcomer has its share, until a worker that was told to has ended, and until others have everything."""

    shared: float
    drained: float
    ended: float
    killed: float
    frozen: float


async def failovers(crowd: Crowd, first: Worker, arrivals: dict[str, list[float]]) -> Failovers:
    """Workers end in every way, each replaced by another that polls more often."""
    soon = crowd.plan.soon
    second = await crowd.worker(soon)
    shared = await crowd.shared_by(first, second)
    started = time.monotonic()
    first.send_signal(signal.SIGTERM)
    await asyncio.to_thread(first.wait, 20)
    drained = time.monotonic() - started
    ended = await crowd.shared_by(second)
    await settled(second)
    arrivals[f"warm, POLL_WARM={soon}"] = await crowd.arrive(crowd.warm, soon * 5)
    third = await crowd.worker(soon)
    await crowd.shared_by(second, third)
    kill9(second)
    killed = await crowd.shared_by(third)
    fourth = await crowd.worker(soon)
    await crowd.shared_by(third, fourth)
    third.send_signal(signal.SIGSTOP)  # as if its machine were gone: its connections stay, nobody sees it die
    frozen = await crowd.shared_by(fourth)
    kill9(third)
    arrivals["all, after the failovers"] = await crowd.arrive(range(crowd.plan.accounts), 60)
    return Failovers(shared, drained, ended, killed, frozen)


if __name__ == "__main__":
    asyncio.run(main(quick=arguments(__doc__ or "").quick))
