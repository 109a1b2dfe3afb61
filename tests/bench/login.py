"""What a session costs a request, and what fifty people who sign in at once cost everybody else.

python -m tests.bench.login [--quick]
"""

import http.client
import json
import statistics
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import psycopg

from services.gateway.auth.passwords import HASHER
from tests.bench.report import arguments, conclude, p95, table
from tests.support.installation import PASSWORD, Product, product

GOAL = (
    "p95 of a request with a session at most 3 ms over the same without; "
    "of any other request at most 100 ms while 50 people sign in; every one of them gets in"
)
PEOPLE = 50
PAUSE = 0.02
"""Seconds between two requests of whoever only reads."""

SESSION = "__Host-session"


class Client:
    """One browser over one connection, behind the proxy of a network of its own, so that nobody's attempts are anybody else's."""

    def __init__(self, running: Product, network: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", running.running.port, timeout=120)
        self._network = network
        self.cookie = ""

    def ask(self, method: Literal["GET", "POST"], path: str, body: Mapping[str, Any] | None = None) -> int:
        headers = {"X-Forwarded-For": self._network, "Cookie": self.cookie, "Content-Type": "application/json"}
        self._connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self._connection.getresponse()
        answer.read()
        for line in answer.headers.get_all("Set-Cookie") or []:
            if line.startswith(SESSION):
                self.cookie = line.partition(";")[0]
        return answer.status

    def timed(self, path: str) -> float:
        started = time.perf_counter()
        self.ask("GET", path)
        return time.perf_counter() - started

    def close(self) -> None:
        self._connection.close()


def main(*, quick: bool) -> None:
    times, rounds = (500, 1) if quick else (3000, 4)
    with product(TRUSTED_PROXIES="127.0.0.1") as running:
        populate(running)
        reader = Client(running, "203.0.113.1")
        assert reader.ask("POST", "/api/auth/login", login(0)) == 200
        without, with_session = cost(running, reader, times)
        quiet = [reader.timed("/api/threads") for _ in range(times // 10)]
        meanwhile, entered, slowest = crowd(running, reader, rounds)
    table(
        ("ms", "requests", "median", "p95"),
        [
            row("without a session", without),
            row("with one", with_session),
            row("a list, quiet", quiet),
            row(f"a list while {PEOPLE} sign in", meanwhile),
        ],
    )
    over, beside = p95(with_session) - p95(without), p95(meanwhile)
    figure = {
        "session_ms": round(over, 2),
        "beside_logins_p95_ms": round(beside, 1),
        "slowest_login_s": round(slowest, 1),
    }
    certain = entered == PEOPLE * rounds
    conclude("login", GOAL, figure, certain=certain, measured=over <= 3 and beside <= 100)


def populate(running: Product) -> None:
    """Fifty people with one password; its hash costs what everybody's does."""
    known = HASHER.hash(PASSWORD)
    with psycopg.connect(running.environ["DATABASE_URL"]) as db, db.cursor() as cursor:
        rows = [(f"person-{n}@localhost", known) for n in range(PEOPLE)]
        cursor.executemany("INSERT INTO users (handle, password_hash) VALUES (%s, %s)", rows)


def login(n: int) -> Mapping[str, str]:
    return {"handle": f"person-{n}", "password": PASSWORD}


def cost(running: Product, somebody: Client, times: int) -> tuple[list[float], list[float]]:
    """The same request in turns, so that whatever else this machine does is shared."""
    nobody = Client(running, "203.0.113.2")
    found: tuple[list[float], list[float]] = ([], [])
    for n in range(-20, times):
        for client, seconds in zip((nobody, somebody), found, strict=True):
            taken = client.timed("/api/settings")
            if n >= 0:
                seconds.append(taken)
    return found


def crowd(running: Product, reader: Client, rounds: int) -> tuple[list[float], int, float]:
    """What a reader's requests took while people signed in, how many got in, and how long the last one waited."""
    seconds: list[float] = []
    entered, slowest = 0, 0.0
    for _ in range(rounds):
        together = threading.Barrier(PEOPLE)
        with ThreadPoolExecutor(PEOPLE) as people:
            coming = [people.submit(enter, running, n, together) for n in range(PEOPLE)]
            while not all(one.done() for one in coming):
                seconds.append(reader.timed("/api/threads"))
                time.sleep(PAUSE)
        entered += sum(one.result()[0] == 200 for one in coming)
        slowest = max(slowest, *(one.result()[1] for one in coming))
    return seconds, entered, slowest


def enter(running: Product, n: int, together: threading.Barrier) -> tuple[int, float]:
    client = Client(running, f"198.51.{n}.1")
    together.wait()
    started = time.perf_counter()
    status = client.ask("POST", "/api/auth/login", login(n))
    client.close()
    return status, time.perf_counter() - started


def row(name: str, seconds: list[float]) -> tuple[str, int, float, float]:
    return name, len(seconds), statistics.median(seconds) * 1000, p95(seconds)


if __name__ == "__main__":
    main(quick=arguments(__doc__ or "").quick)
