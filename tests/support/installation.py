"""The whole product for a test: both servers and every process as `webmail up` runs them, and a client that is signed in."""

import http.client
import json
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from services.embedded.browser import Browser
from services.embedded.child import Child, free_port
from services.embedded.folder import DataFolder
from services.embedded.up import Installation, _answers
from tests.support import secrecy
from tests.support.dovecot import FULL, Dovecot, User

PASSWORD = "brass lantern 42 owls"
KILLABLE = ("sync", "projector", "gateway", "nats-server", "postgres")


class Person(NamedTuple):
    """Somebody who is signed up, and the same in a client."""

    handle: str
    browser: Browser


class Product:
    """One running installation; only the main thread may use it, since children end with the thread that started them."""

    def __init__(self, running: Installation) -> None:
        self.running = running
        self.address = running.address

    def register(self, handle: str) -> Person:
        browser = Browser(self.address)
        person = {"localpart": handle, "password": PASSWORD, "tz": "Europe/Warsaw", "language": "en"}
        browser.post("/api/auth/register", person)
        return Person(handle, browser)

    def child(self, name: str) -> Child:
        watched = [*self.running._processes._watched, *self.running._servers._watched]
        return next(one.server.child for one in watched if one.server.child.name == name)

    def kill(self, name: str) -> None:
        """As a power cut would; what watches it starts it again."""
        child = self.child(name)
        assert child.process is not None
        child.process.send_signal(signal.SIGKILL)
        child.process.wait()

    def ready(self) -> bool:
        """Whether the gateway, the database and the log all answer."""
        return _answers(f"http://127.0.0.1:{self.running.port}/readyz")

    def until(self, true: Callable[[], object], *, seconds: float, every: float = 0.1) -> None:
        """Wait for something to become so, while everything is watched."""
        deadline = time.monotonic() + seconds
        while not true():
            self.running.watch()
            assert time.monotonic() < deadline, f"it did not happen in time; logs:\n{self.last_words()}"
            time.sleep(every)

    def last_words(self) -> str:
        """The end of each process' log."""
        ends = {path.stem: path.read_text(errors="replace")[-1500:] for path in self.running.folder.logs.glob("*.log")}
        return "\n".join(f"== {name}\n{end}" for name, end in ends.items())

    def rows(self, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
        """What the database really holds, as the administrator sees it."""
        with psycopg.connect(self.environ["DATABASE_URL"]) as db:
            return db.execute(statement, arguments).fetchall()

    @property
    def environ(self) -> Mapping[str, str]:
        """The administrator's way to both servers."""
        return self.running.folder.running_environment()


class Reader:
    """Asks many things over one connection, as whoever is signed in there."""

    def __init__(self, person: Person) -> None:
        place = person.browser.address.removeprefix("http://")
        self._connection = http.client.HTTPConnection(place, timeout=60)
        self._cookie = person.browser.cookies

    def get(self, path: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        self._connection.request("GET", path, headers={"Cookie": self._cookie})
        answer = self._connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def json(self, path: str) -> Any:
        status, _, body = self.get(path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def threads(self, view: str) -> Iterator[dict[str, Any]]:
        """All lines of a list, page by page."""
        cursor = ""
        while True:
            page = self.json(f"/api/threads?view={view}&limit=200{cursor}")
            yield from page["threads"]
            if page["next_cursor"] is None:
                return
            cursor = f"&cursor={page['next_cursor']}"

    def close(self) -> None:
        self._connection.close()


@contextmanager
def product(made: type[Installation] = Installation, **environ: str) -> Iterator[Product]:
    """A fresh installation in a folder of its own, gone afterwards. `environ`: what the operator set."""
    folder = Path(tempfile.mkdtemp(prefix="wm-e2e-"))
    folder.chmod(0o755)
    said: list[str] = []
    given = {"HTTP_PORT": str(free_port()), "POLL_WARM": "2", **environ}
    running = made(DataFolder(folder / "data"), given, report=said.append)
    try:
        running.start()
        yield Product(running)
    finally:
        secrecy.search_product(running)
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def connect(person: Person, dovecot: Dovecot, user: User) -> dict[str, Any]:
    """The account as typed in by its owner."""
    imap = {"host": FULL, "port": dovecot.port, "tls": "none", "username": user.name, "password": user.password}
    account: dict[str, Any] = person.browser.post(
        "/api/accounts", {"email": user.name, "display_name": "Work", "imap": imap, "smtp": None}
    )
    return account


def state(person: Person) -> dict[str, Any]:
    """The person's first account as the account page shows it."""
    account: dict[str, Any] = person.browser.get("/api/accounts")["accounts"][0]
    return account
