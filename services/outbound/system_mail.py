"""Mails that the service itself sends, by the operator's SMTP server: two kinds, in the user's language, with one link each."""

import asyncio
import ipaddress
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

import aiosmtplib
import structlog

from contracts.provider import ProviderError
from projections.sql import Pool
from services.config import ConfigurationError
from services.database import UNAVAILABLE
from services.mail.endpoint import Credentials, Endpoint
from services.mail.smtp.verify import connected, log_in
from services.state import system_mails
from services.state.system_mails import Posted, SystemMail
from services.vault import VaultError

EVERY = 2.0
ATTEMPTS = 6
"""Over a quarter of an hour: by then a link for a new password is nearly too old."""

_WORDS = {
    ("verify", "en"): (
        "Is this address yours?",
        "Somebody wants to use this address to get back into Webmail. If it is you, open this link within a day:",
        "If not, ignore this mail: nothing happens.",
    ),
    ("verify", "pl"): (
        "Czy to Twój adres?",
        "Ktoś chce używać tego adresu do odzyskiwania dostępu do Webmaila. Jeśli to Ty, otwórz ten link w ciągu doby:",
        "Jeśli nie, zignoruj tę wiadomość: nic się nie stanie.",
    ),
    ("reset", "en"): (
        "Choose a new password",
        "Somebody asked for a new password to your Webmail. If it was you, open this link within half an hour:",
        "If not, ignore this mail: your password stays as it is.",
    ),
    ("reset", "pl"): (
        "Wybierz nowe hasło",
        "Ktoś poprosił o nowe hasło do Twojego Webmaila. Jeśli to Ty, otwórz ten link w ciągu pół godziny:",
        "Jeśli nie, zignoruj tę wiadomość: Twoje hasło pozostanie bez zmian.",
    ),
}

log = structlog.get_logger()


class Sender:
    """Sends what waits, until cancelled."""

    def __init__(self, db: Pool, private_key: bytes, smtp_url: str, sender: str, trust: ssl.SSLContext) -> None:
        self._db = db
        self._private_key = private_key
        self._relay, self._credentials = relay(smtp_url)
        self._from = sender
        self._trust = trust

    async def run(self) -> None:
        while True:
            try:
                while (posted := await system_mails.claim(self._db)) is not None:
                    await self._send(posted)
            except UNAVAILABLE as error:
                log.warning("no system mail sent", error=type(error).__name__)
            await asyncio.sleep(EVERY)

    async def _send(self, posted: Posted) -> None:
        """Sent or given up, it is forgotten; otherwise it is due again."""
        try:
            await self._hand_over(message(system_mails.opened(self._private_key, posted), self._from))
        except VaultError:
            log.error("system mail unreadable", mail=str(posted.id))  # noqa: TRY400 - there is nothing more to it
        except (ProviderError, aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            log.warning(
                "system mail not sent", mail=str(posted.id), attempts=posted.attempts, error=type(error).__name__
            )
            if posted.attempts < ATTEMPTS:
                return
        await system_mails.finish(self._db, posted)

    async def _hand_over(self, mail: EmailMessage) -> None:
        async with connected(self._relay, self._trust) as smtp:
            if self._credentials is not None:
                await log_in(smtp, self._credentials)
            await smtp.send_message(mail)


def message(mail: SystemMail, sender: str) -> EmailMessage:
    """Plain text; answered by no machine (RFC 3834 §5)."""
    subject, before, after = _WORDS[mail.kind, mail.language]
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = sender, Address(addr_spec=mail.to), subject
    made["Date"], made["Message-ID"] = formatdate(), make_msgid(domain=sender.rpartition("@")[2].strip("> "))
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(f"{before}\n\n{mail.link}\n\n{after}\n")
    return made


def relay(url: str) -> tuple[Endpoint, Credentials | None]:
    """`smtps://user:password@host:465`, or `smtp://…:587`, which is TLS as well unless the host is this machine."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host:
        raise ConfigurationError("SYSTEM_SMTP_URL must name a host, such as smtps://user:password@smtp.example.org")
    tls = parts.scheme == "smtps"
    endpoint = Endpoint(
        host=host, port=port or (465 if tls else 587), tls="ssl" if tls else "none" if _is_here(host) else "starttls"
    )
    if parts.username is None:
        return endpoint, None
    return endpoint, Credentials(username=unquote(parts.username), password=unquote(parts.password or ""))


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
