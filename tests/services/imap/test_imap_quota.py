"""How full a server is, in its own words, and what is made of words that make no sense."""

import pytest

from contracts.provider import ProviderConnectError, Quota
from services.mail.imap import ImapProvider
from tests.services.imap.conftest import Connect
from tests.support.dovecot import POOR, Dovecot, User
from tests.support.scripted_imap import ScriptedImap

ANNOUNCED = b"* CAPABILITY IMAP4rev1 QUOTA\r\n$ OK done\r\n"


async def test_a_limit_is_told_in_bytes(connect: Connect, dovecot: Dovecot) -> None:
    found = await connect(dovecot.port, User("quota@example.test", "pw")).quota()
    assert found is not None
    assert 19_000 <= found.limit <= 21_000
    assert 0 <= found.used <= found.limit


async def test_without_a_limit_there_is_nothing_to_tell(provider: ImapProvider) -> None:
    assert await provider.quota() is None


async def test_what_is_not_announced_is_not_asked_for(connect: Connect, dovecot: Dovecot) -> None:
    assert await connect(dovecot.port, User("quota@example.test", "pw"), host=POOR).quota() is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (b'* QUOTAROOT INBOX ""\r\n* QUOTA "" (STORAGE 10 512)\r\n$ OK done\r\n', (10, 512)),
        (b'* QUOTA "" (MESSAGE 7 8 STORAGE 512 512)\r\n$ OK done\r\n', (512, 512)),
        (b"* QUOTA a (STORAGE 1 100)\r\n* QUOTA b (STORAGE 90 100)\r\n$ OK done\r\n", (90, 100)),
        (b'* QUOTA "" (storage 600 512)\r\n$ OK done\r\n', (600, 512)),
        (b'* QUOTA "" (MESSAGE 7 8)\r\n$ OK done\r\n', None),
        (b'* QUOTA "" (STORAGE 10 0)\r\n$ OK done\r\n', None),
        (b'* QUOTA "" (STORAGE 10)\r\n$ OK done\r\n', None),
        (b'* QUOTA "" ()\r\n$ OK done\r\n', None),
        (b"* QUOTA x y\r\n$ OK done\r\n", None),
        (b"* QUOTA\r\n$ OK done\r\n", None),
        (b'* QUOTA "" (STORAGE ten 512)\r\n$ OK done\r\n', None),
        (b'* QUOTA "" (STORAGE -1 -1)\r\n$ OK done\r\n', None),
        (b"$ NO not for you\r\n", None),
        (b"$ BAD what?\r\n", None),
    ],
)
async def test_only_what_makes_sense_counts(connect: Connect, said: bytes, meant: tuple[int, int] | None) -> None:
    async with ScriptedImap({"CAPABILITY": ANNOUNCED, "GETQUOTAROOT": said}) as server:
        provider = connect(server.port, User("anna", "pw of anna"))
        found = await provider.quota()
        await provider.close()
    assert found == (Quota(used=meant[0] * 1024, limit=meant[1] * 1024) if meant else None)


async def test_a_connection_that_ends_is_an_error_as_ever(connect: Connect) -> None:
    script = {"CAPABILITY": ANNOUNCED, "GETQUOTAROOT": lambda client, _: client.hang_up()}
    async with ScriptedImap(script) as server:
        with pytest.raises(ProviderConnectError):
            await connect(server.port, User("anna", "pw of anna")).quota()
