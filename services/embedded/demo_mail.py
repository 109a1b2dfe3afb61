"""The demo's mail server: IMAP by pymap over Maildirs, and SMTP by aiosmtpd that delivers all it accepts to the one user."""

import argparse
import asyncio
import imaplib
import logging
import signal
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from pymap.backend import maildir
from pymap.backend.maildir import Config, Identity, MaildirBackend
from pymap.backend.maildir.mailbox import Maildir
from pymap.frozen import frozendict
from pymap.imap import IMAPService
from pymap.user import Passwords, UserMetadata

from services.embedded.mailbox import mailbox
from services.embedded.mailbox.maildir import lay

USER_FOLDER = "alex"
HOST = "127.0.0.1"
LARGEST = 32 * 1024 * 1024


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """The one user of the demo's mail server."""

    email: str
    password: str

    def __repr__(self) -> str:
        return "Login(…)"


class ExactMaildir(Maildir):
    """As it is: pymap's own would write each message anew, with the line ends of this system."""

    def get_message(self, key: str) -> bytes:  # type: ignore[override]  # pymap only asks for its bytes
        return self.get_bytes(key).replace(b"\n", b"\r\n")


class Postman:
    """aiosmtpd's handler: whoever a message is for, it comes back to the demo's inbox."""

    def __init__(self, login: Login, imap_port: int) -> None:
        self._login = login
        self._imap_port = imap_port

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not session.authenticated:
            return "530 5.7.0 Authentication required"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: object, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        content = envelope.original_content or b""
        try:
            await asyncio.to_thread(self._deliver, content)
        except (OSError, imaplib.IMAP4.error):
            return "451 4.3.0 The mailbox can't be reached, try again"
        return "250 2.0.0 Delivered"

    def authenticate(
        self, _server: SMTP, _session: object, _envelope: object, _mechanism: str, given: Any
    ) -> AuthResult:
        """RFC 4954; aiosmtpd answers a failure only when it is not `handled`."""
        expected = LoginPassword(self._login.email.encode(), self._login.password.encode())
        return AuthResult(success=given == expected, handled=False)

    def _deliver(self, content: bytes) -> None:
        with imaplib.IMAP4(HOST, self._imap_port, timeout=20) as imap:
            imap.login(self._login.email, self._login.password)
            imap.append("INBOX", "", imaplib.Time2Internaldate(datetime.now(UTC)), content)


async def serve(folder: Path, login: Login, imap_port: int, smtp_port: int) -> None:
    """Until SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    maildir.Maildir = ExactMaildir  # type: ignore[attr-defined]  # pymap takes it from there
    async with AsyncExitStack() as stack:
        backend, config = await MaildirBackend.init(_arguments(folder, imap_port))
        config.apply_context()
        await _let_in(config, backend, login)
        await IMAPService(backend, config).start(stack)
        postman = Postman(login, imap_port)
        smtp = await loop.create_server(lambda: _smtp(postman), HOST, smtp_port)
        stack.callback(smtp.close)
        await stop.wait()


def _smtp(postman: Postman) -> SMTP:
    return SMTP(
        postman,
        hostname="demo.test",
        ident="Demo mail",
        enable_SMTPUTF8=True,
        data_size_limit=LARGEST,
        authenticator=postman.authenticate,
        auth_require_tls=False,  # on the loopback address only
    )


def _arguments(folder: Path, port: int) -> argparse.Namespace:
    """What pymap would read from its own command line."""
    parser = argparse.ArgumentParser()
    IMAPService.add_arguments(parser)
    MaildirBackend.add_subparser("maildir", parser.add_subparsers())
    parser.set_defaults(debug=False, passlib_cfg=None)
    return parser.parse_args(["--host", HOST, "--port", str(port), "--no-tls", "maildir", str(folder)])


async def _let_in(config: Config, backend: MaildirBackend, login: Login) -> None:
    password = await Passwords(config).hash_password(login.password)
    identity = Identity(config, backend.login.tokens, login.email, None, {"admin"})
    user = UserMetadata(config, login.email, password=password, params=frozendict({"mailbox_path": USER_FOLDER}))
    await identity.set(user)


if __name__ == "__main__":
    logging.getLogger("mail.log").setLevel(logging.ERROR)  # aiosmtpd tells each session that it sets what is deprecated
    own, secret, imap, smtp = sys.argv[1:]
    if not (Path(own) / USER_FOLDER).exists():
        Path(own).mkdir(parents=True, exist_ok=True)
        lay(Path(own) / USER_FOLDER, mailbox(datetime.now(UTC)))
    known = msgspec.json.decode(Path(secret).read_bytes(), type=Login)
    asyncio.run(serve(Path(own), known, int(imap), int(smtp)))
