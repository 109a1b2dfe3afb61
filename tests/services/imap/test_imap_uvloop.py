"""The same provider on the event loop that sync runs on."""

import asyncio
from pathlib import Path

import pytest
import uvloop

from contracts.provider import ProviderError
from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import ImapProvider
from tests.services.imap.conftest import Remembered
from tests.support.dovecot import Dovecot, User


async def work(dovecot: Dovecot, user: User, spool: Path, *, tls: str, port: int) -> int:
    endpoint = Endpoint(host="localhost", port=port, tls=tls)  # type: ignore[arg-type]
    credentials = Credentials(username=user.name, password=user.password)
    provider = ImapProvider(endpoint, credentials, known=Remembered(), spool=spool, trust=dovecot.trust)
    await provider.verify()
    status = await provider.status("INBOX")
    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.3)
    await asyncio.to_thread(dovecot.deliver, user.name, b"Subject: new\r\n\r\nx\r\n")
    await asyncio.wait_for(idling, 5)
    backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity)
    count = sum([len(batch.messages) async for batch in backfill])
    await provider.close()
    return count


async def fail(user: User, spool: Path, *, tls: str, port: int) -> str:
    endpoint = Endpoint(host="127.0.0.1", port=port, tls=tls)  # type: ignore[arg-type]
    credentials = Credentials(username=user.name, password=user.password)
    try:
        await ImapProvider(endpoint, credentials, known=Remembered(), spool=spool).verify()
    except ProviderError as error:
        return error.code
    return "no error"


@pytest.mark.parametrize("tls", ["ssl", "starttls", "none"])
async def test_mail_is_read_and_waited_for(dovecot: Dovecot, mail_user: User, tmp_path: Path, tls: str) -> None:
    port = dovecot.tls_port if tls == "ssl" else dovecot.port
    assert await asyncio.to_thread(uvloop.run, work(dovecot, mail_user, tmp_path, tls=tls, port=port)) == 1


async def test_what_goes_wrong_has_the_same_names(dovecot: Dovecot, mail_user: User, tmp_path: Path) -> None:
    for tls, port, code in (
        ("ssl", dovecot.tls_port, "tls_failed"),
        ("starttls", dovecot.port, "tls_failed"),
        ("ssl", dovecot.port, "tls_failed"),
        ("none", 1, "refused"),
    ):
        assert await asyncio.to_thread(uvloop.run, fail(mail_user, tmp_path, tls=tls, port=port)) == code
