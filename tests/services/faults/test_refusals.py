"""Servers that allow little, refuse what they announce, or have had enough of us."""

from datetime import UTC, datetime

import pytest

from contracts.facts import AccountState
from services.jobs import cooldowns
from tests.services.faults.mirror import Connect, fill, mails
from tests.support.dovecot import POOR, SINGLE, Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_client import other_client
from tests.support.imap_truth import Server, session
from tests.support.processes import Installation, until
from tests.support.pymap_server import PymapServer


def change(server: Server, user: User) -> None:
    """Without UIDPLUS, as any client can."""
    with session(server, user) as imap:
        imap.select("INBOX")
        imap.store("2:4", "+FLAGS", r"(\Flagged)")
        imap.store("1,6", "-FLAGS", r"(\Seen)")
        imap.store("8,9", "+FLAGS", r"(\Deleted)")
        imap.expunge()
        imap.append("INBOX", r"(\Seen)", None, b"Subject: new\r\n\r\nOne more.\r\n")  # type: ignore[arg-type] # None: now


LIES = {
    "ENABLE": (b"ENABLE ",),
    "CONDSTORE and QRESYNC": (b"ENABLE ", b"CHANGEDSINCE", b"CONDSTORE"),
    "the log of changes": (b"CHANGEDSINCE",),
    "LIST-STATUS and SPECIAL-USE": (b"RETURN (SPECIAL", b"RETURN (STATUS"),
    "ESEARCH": (b"SEARCH RETURN",),
    "IDLE": (b"IDLE\r\n",),
    "ID": (b" ID (",),
    "NAMESPACE": (b"NAMESPACE",),
    "UNSELECT and CLOSE": (b"UNSELECT", b"CLOSE"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_server_that_announces_what_it_refuses_is_mirrored_all_the_same(
    mirror: Connect, dovecot: Dovecot, mail_user: User, lie: str
) -> None:
    dovecot.load(mail_user.name, mails(30))
    dovecot.load(mail_user.name, mails(5, first=100), "Archive")
    async with FaultProxy(dovecot.port) as proxy:
        proxy.refused = LIES[lie]
        here = await mirror(dovecot, mail_user, via=proxy)
        await here.equal()
        change(dovecot, mail_user)
        await here.equal()


async def test_a_server_with_no_extensions_is_mirrored(mirror: Connect, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.load(mail_user.name, mails(30))
    here = await mirror(dovecot, mail_user, host=POOR)
    await here.equal()
    for _ in range(2):
        change(dovecot, mail_user)
        await here.equal()


async def test_pymap_which_has_no_log_of_changes_is_mirrored(mirror: Connect, pymap_server: PymapServer) -> None:
    fill(pymap_server, pymap_server.user, 20)
    here = await mirror(pymap_server, pymap_server.user)
    await here.equal()
    change(pymap_server, pymap_server.user)
    await here.equal()
    with session(pymap_server, pymap_server.user) as imap:
        imap.create("Later")
    fill(pymap_server, pymap_server.user, 3, "Later")
    await here.equal()


async def test_a_host_that_has_enough_connections_is_left_alone_by_all_and_nobody_is_asked_for_a_password(
    syncing: Installation, mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(5))
    host = cooldowns.group(SINGLE)

    async def cooling() -> bool:
        return await cooldowns.until(syncing.admin, host, datetime.now(UTC)) is not None

    with other_client(dovecot.port, mail_user, host=SINGLE):
        here = await mirror(dovecot, mail_user, host=SINGLE)
        await until(cooling)
        states = [state.state for state in await syncing.states(here.account)]
        assert AccountState.RECONNECT_REQUIRED not in states
        other = dovecot.user()
        there = await mirror(dovecot, other, host=SINGLE)

        async def claimed() -> bool:
            return bool(await syncing.states(there.account))

        await until(claimed)
    tried = [line for line in (dovecot.root / "dovecot.log").read_text().splitlines() if f"lip={SINGLE}" in line]
    assert len([line for line in tried if mail_user.name in line]) <= 4  # the other client, and we for both connections
    assert not [line for line in tried if other.name in line]


async def test_a_mailbox_that_is_full_is_read_all_the_same(mirror: Connect, dovecot_of_its_own: Dovecot) -> None:
    server, user = dovecot_of_its_own, User("quota@example.test", "pw")
    raw = b"Subject: fills\r\n\r\n" + b"x" * 6_000 + b"\r\n"
    with session(server, user) as imap:
        answers = [imap.append("INBOX", None, None, raw) for _ in range(5)]  # type: ignore[arg-type] # None: now
        assert any(b"OVERQUOTA" in line for kind, lines in answers for line in lines if kind == "NO")
        here = await mirror(server, user)
        await here.equal()
        imap.select("INBOX")
        imap.uid("STORE", "1", "+FLAGS.SILENT", r"(\Seen \Deleted)")
        imap.expunge()
        assert imap.append("INBOX", None, None, raw)[0] == "OK"  # type: ignore[arg-type]
    await here.equal()
