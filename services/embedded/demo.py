"""`webmail demo`: everything, with a mail server and a mailbox to try it on; `--check` reads one message and stops."""

import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from services.embedded.browser import ApiError, Browser
from services.embedded.child import accepts
from services.embedded.demo_mail import Login
from services.embedded.errors import EmbeddedError, ServerDidNotStart
from services.embedded.folder import DataFolder
from services.embedded.up import Installation, say, step, until_told

HANDLE = "demo"
EMAIL = "alex@demo.test"
NAME = "Alex Nowak"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike


class Demo:
    """An installation with a mail server beside it, a user, and the user's account there."""

    def __init__(self, installation: Installation, report: Callable[[str], None] = say) -> None:
        self.installation = installation
        self._folder = installation.folder
        self._report = report

    def prepare(self) -> None:
        """After the installation has started. Doing it again changes nothing."""
        self.password = self._folder.once("demo-login", lambda: {"password": _password()})["password"]
        with step("demo mail server", self._report):
            self._start_mail()
        with step("demo user and account", self._report):
            self.browser = Browser(self.installation.address)
            self._sign_in()
            self._connect_account()

    def wait_for_mail(self, seconds: float = 60) -> None:
        """Until the account's whole mailbox is readable."""
        deadline = time.monotonic() + seconds
        while not _complete(account := self.browser.get("/api/accounts")["accounts"][0]):
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the mailbox was not synced within {seconds:.0f} s: {_told(account)}")
            self.installation.watch()
            time.sleep(0.1)

    def read_one(self) -> str:
        """Open the newest thread as the web client does; the subject."""
        newest = self.browser.get("/api/threads?view=unified&limit=1")["threads"]
        if not newest:
            raise EmbeddedError("the list of threads is empty")
        thread = self.browser.get(f"/api/threads/{newest[0]['id']}?sort=asc&expand=1")
        message = self.browser.get(f"/api/messages/{thread['messages'][-1]['id']}")
        if not message["text"].strip():
            raise EmbeddedError("the newest message has no text")
        if message["has_html"]:
            self.browser.page(
                f"/api/messages/{message['id']}/html?v={message['sanitizer_version']}&theme=light&remote=0"
            )
        return str(thread["subject"])

    def _start_mail(self) -> None:
        folder = self._folder.root / "demo-mail"
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        self._imap, self._smtp = self._folder.port("demo-imap"), self._folder.port("demo-smtp")
        login = Login(email=EMAIL, password=self.password)
        secret = folder / "login.json"
        secret.touch(mode=0o600)
        secret.write_bytes(msgspec.json.encode(login))
        arguments = ["-m", "services.embedded.demo_mail", str(folder), str(secret), str(self._imap), str(self._smtp)]
        # pymap renames files from the temporary folder to its own: both must be on one file system
        self.installation.run_beside("demo-mail", arguments, {"TMPDIR": str(folder / "tmp"), "TZ": "UTC"})
        deadline = time.monotonic() + 30
        while not (accepts(self._imap) and accepts(self._smtp)):
            if time.monotonic() > deadline:
                raise ServerDidNotStart("the demo's mail server was not ready within 30 s")
            self.installation.watch()
            time.sleep(0.02)

    def _sign_in(self) -> None:
        person = {"localpart": HANDLE, "password": self.password, "tz": "Europe/Warsaw", "language": "en"}
        try:
            self.browser.post("/api/auth/register", person)
        except ApiError as refusal:
            if refusal.code != "handle_taken":
                raise
            self.browser.post("/api/auth/login", {"handle": HANDLE, "password": self.password})

    def _connect_account(self) -> None:
        if self.browser.get("/api/accounts")["accounts"]:
            return
        common = {"host": "127.0.0.1", "tls": "none", "username": EMAIL, "password": self.password}
        servers = {"imap": {**common, "port": self._imap}, "smtp": {**common, "port": self._smtp}}
        self.browser.post("/api/accounts", {"email": EMAIL, "display_name": NAME, **servers})


def demo(data: Path, environ: Mapping[str, str]) -> int:
    """Run until told to stop; the exit status."""
    shown = Demo(Installation(DataFolder(data), environ))

    def started() -> None:
        shown.prepare()
        say(f"\nOpen   {shown.installation.address}")
        say(f"Login  {HANDLE}")
        say(f"Password  {shown.password}\n\nCtrl-C stops it; the data stays in {data}")

    return until_told(shown.installation, started)


def check(data: Path | None, environ: Mapping[str, str]) -> int:
    """Start everything, read one message over HTTP, tell how long each step took, stop; 0 or what failed."""
    folder = data or _temporary()
    started = time.monotonic()
    shown = Demo(Installation(DataFolder(folder), environ))
    failure = 0
    try:
        failure = until_told(shown.installation, lambda: _read(shown), then_stop=True)
    finally:
        if data is None:
            shutil.rmtree(folder, ignore_errors=True)
    say(f"  all of it  {time.monotonic() - started:.1f} s")
    say("webmail demo --check: " + ("failed" if failure else "passed"))
    return failure


def _read(shown: Demo) -> None:
    shown.prepare()
    with step("the whole mailbox synced", say):
        shown.wait_for_mail()
    with step("one message read", say):
        say(f"  read: {shown.read_one()}")


def _complete(account: Mapping[str, Any]) -> bool:
    progress = account["progress"]
    return bool(account["state"] == "live") and 0 < progress["total"] <= progress["synced"]


def _told(account: Mapping[str, Any]) -> str:
    progress = account["progress"]
    return f"{account['state']} {account['state_detail']}, {progress['synced']} of {progress['total']}"


def _temporary() -> Path:
    """Open enough for Postgres' own user to pass through; what is private inside is so by itself."""
    folder = Path(tempfile.mkdtemp(prefix="webmail-check-"))
    folder.chmod(0o711)
    return folder


def _password() -> str:
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))
    return "-".join(groups)
