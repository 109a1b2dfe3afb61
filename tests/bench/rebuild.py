"""How fast `mail` is folded again from a real log with its documents present, and what readers notice of the switch.

python -m tests.bench.rebuild [--quick]
"""

import asyncio
import json
import sys
import time
from uuid import UUID

import psycopg
import uvloop

from projections.engine.follow import Folder
from projections.mail.projector import mail
from services.admin.projections import fold_again
from services.admin.servers import Servers
from services.config import settings
from services.log.reader import PartitionLog
from services.runtime import collect_seldom
from tests.bench.population import Person
from tests.bench.report import arguments, conclude, peak_mib, table
from tests.bench.stack import PARTITIONS, Remembered, Stack, stack, tell

GOAL = "5,000 facts/s, readers blocked under 100 ms, rows equal"
USERS = [UUID(int=1_000_000 + n) for n in range(PARTITIONS)]  # one a partition
PAGE = """SELECT t.* FROM mail.thread_scopes s JOIN mail.threads t ON t.id = s.thread_id
          WHERE s.user_id = %s AND s.scope_id = %s ORDER BY s.last_message_at DESC, s.thread_id DESC LIMIT 50"""


async def main(messages: int) -> None:
    async with stack([mail]) as servers:
        people = [Person(user, messages // len(USERS)) for user in USERS]
        await asyncio.gather(*(tell(servers, person) for person in people))
        logs = [PartitionLog(servers.nc, partition) for partition in range(PARTITIONS)]
        facts = sum([await log.head() for log in logs])
        known = settings({"DATABASE_URL": servers.dsn, "NATS_URL": servers.url, "PARTITIONS": str(PARTITIONS)})
        live = await timed_live(servers, logs)
        reader = await start_reader(servers)
        started = time.perf_counter()
        await fold_again(mail, Servers(known, servers.db, logs, Remembered(servers.db)), compare=True)
        taken = time.perf_counter() - started
        reads, worst = await stop_reader(reader)
        rate = facts / taken
        table(
            ("", "facts", "s", "facts/s"),
            [("live, batches of 500", facts, live, facts / live), ("rebuild, verified, switched", facts, taken, rate)],
        )
        table(("reader meanwhile", "pages", "worst ms"), [("50 newest threads", reads, worst * 1000)])
        table(("peak memory of this process", "MiB"), [("", peak_mib())])
        figure = {"facts_per_s": round(rate), "worst_read_ms": round(worst * 1000, 1)}
        conclude("rebuild", GOAL, figure, certain=reads > 0, measured=rate >= 5_000 and worst < 0.1)


async def timed_live(servers: Stack, logs: list[PartitionLog]) -> float:
    async def drain(log: PartitionLog) -> None:
        folder = Folder(mail, log, servers.db, Remembered(servers.db))
        position = 0
        while (moved := await folder.advance(position)) != position:
            position = moved

    started = time.perf_counter()
    await asyncio.gather(*(drain(log) for log in logs))
    return time.perf_counter() - started


async def start_reader(servers: Stack) -> asyncio.subprocess.Process:
    """In a process of its own, so that it waits for Postgres alone."""
    reader = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.rebuild", "--read", servers.dsn),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert reader.stdout is not None
    await reader.stdout.readline()
    return reader


async def stop_reader(reader: asyncio.subprocess.Process) -> tuple[int, float]:
    said, _ = await reader.communicate(b"stop\n")
    reads, worst = json.loads(said)
    return reads, worst


def read(dsn: str) -> None:
    """Read pages until told to stop; say how many, and the longest that one took in seconds."""
    import threading

    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
    taken = []
    with psycopg.connect(dsn, autocommit=True) as db:
        sys.stdout.write("reading\n")
        sys.stdout.flush()
        while not stop.is_set():
            started = time.perf_counter()
            rows = db.execute(PAGE, [USERS[0], USERS[0]]).fetchall()
            taken.append(time.perf_counter() - started)
            assert rows
            time.sleep(0.002)
    sys.stdout.write(json.dumps([len(taken), max(taken)]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
    else:
        collect_seldom()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as `webmail projections` runs
            runner.run(main(10_000 if arguments(__doc__ or "").quick else 100_000))
