"""A process ends when told to, refuses what isn't its own, and reaches its servers."""

import json
import signal
import subprocess
import sys
import time

import pytest

from services.config import settings
from services.embedded.nats import NatsServer
from services.runtime import GRACE, Runtime
from tests.support.postgres_server import Postgres

LEAST = {"DATABASE_URL": "postgresql:///nowhere", "NATS_URL": "nats://127.0.0.1:1"}
WAITS = "import asyncio; from services.runtime import run; run('projector', lambda runtime: asyncio.sleep(60))"
FAILS = """
from services.runtime import run
async def main(runtime): raise LookupError('lost')
run('projector', main)
"""
SWALLOWS = """
import asyncio
from services.runtime import run
async def main(runtime):
    for _ in range({times}):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
    await asyncio.sleep(60)
run('projector', main)
"""


def test_a_process_ends_in_order_when_told_to() -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], env=LEAST, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        started = json.loads(process.stderr.readline())
        assert (started["event"], started["process"]) == ("started", "projector")
        told = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert json.loads(process.stderr.readline())["event"] == "stopped"
        assert process.wait() == 0
        assert time.monotonic() - told < 2


@pytest.mark.parametrize(("times", "status"), [(1, 0), (100, -signal.SIGALRM)])
def test_a_process_that_loses_a_cancellation_ends_all_the_same(times: int, status: int) -> None:
    code = SWALLOWS.format(times=times)
    with subprocess.Popen([sys.executable, "-c", code], env=LEAST, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        told = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait() == status
        assert time.monotonic() - told < GRACE + 1


def test_an_unknown_error_ends_the_process_with_its_trace() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], env=LEAST, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "LookupError" in json.loads(done.stderr.splitlines()[-1])["exception"]


@pytest.mark.parametrize(("extra", "named"), [({"MASTER_KEY": "x"}, "MASTER_KEY"), ({"NATS_URL": ""}, "NATS_URL")])
def test_a_process_says_what_is_wrong_with_its_environment(extra: dict[str, str], named: str) -> None:
    environ = {**LEAST, **extra}
    done = subprocess.run([sys.executable, "-c", WAITS], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_runtime_reaches_its_servers(nats_server: NatsServer, postgres: Postgres) -> None:
    runtime = Runtime("gateway", settings({"DATABASE_URL": postgres.dsn, "NATS_URL": nats_server.url}))
    connection = await runtime.connect_nats()
    assert connection.new_inbox().startswith("_INBOX_gateway.")
    await connection.close()
    async with await runtime.open_pool(size=2) as pool:
        assert await pool.fetchval("SHOW application_name") == "gateway"
