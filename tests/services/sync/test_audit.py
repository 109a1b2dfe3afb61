"""Drift between the server and the log is found, repaired and reported; what a poll tells is no drift."""

import pytest

from contracts.facts import DriftRepaired
from contracts.provider import MailboxStatus
from services.sync import audit as module
from services.sync.audit import Ranges, _minus
from tests.services.sync.mail_server import MailServer
from tests.services.sync.one_account import Begin, OneAccount
from tests.services.sync.told import repeated


def filled(count: int = 12, *, condstore: bool = True) -> MailServer:
    server = MailServer(condstore=condstore)
    for number in range(count):
        server.inbox.add(f"Message-ID: <{number}@x>\r\n\r\n{number}".encode())
    return server


def drifts(account: OneAccount) -> list[tuple[int, int, int]]:
    return [(f.missing, f.surplus, f.flags) for f in account.log.facts if isinstance(f, DriftRepaired)]


async def checked(account: OneAccount) -> tuple[int, int, bool]:
    row = await account.db.fetchrow("SELECT held, on_server, equal FROM sync_checks")
    return row["held"], row["on_server"], row["equal"]


@pytest.mark.parametrize("condstore", [True, False])
async def test_an_equal_mailbox_is_proved_and_nothing_is_told(begin: Begin, condstore: bool) -> None:
    server = filled(condstore=condstore)
    account = await begin(server.asked_by)
    facts = len(account.log.facts)
    for whole in (False, True):
        assert await account.audit(whole=whole)
    assert len(account.log.facts) == facts
    assert await checked(account) == (12, 12, True)


async def test_a_difference_that_a_poll_tells_is_no_drift(begin: Begin) -> None:
    server = filled()
    account = await begin(server.asked_by)
    server.inbox.expunge(3)
    server.inbox.flag(4, "\\Seen")
    server.inbox.add(b"new")
    assert await account.audit(whole=True)
    assert drifts(account) == []
    assert account.told() == server.truth()
    assert await checked(account) == (12, 12, True)


async def test_what_the_server_never_said_is_repaired_and_said(begin: Begin) -> None:
    """A server that forgets to tell: of an arrival below what it gave before, of expunges, and of flags."""
    server = filled()
    server.inbox.uidnext = 100
    server.inbox.add(b"the last")
    account = await begin(server.asked_by)
    box = server.inbox
    for uid in (3, 4, 8):
        del box.held[uid]
    box.held[50] = box.held[1]
    box.held[5].flags = frozenset({"\\Flagged"})
    assert not await account.audit()
    assert drifts(account) == [(0, 3, 0), (1, 0, 0)]
    assert await checked(account) == (11, 11, True)
    assert await account.audit()
    assert not await account.audit(whole=True)
    assert drifts(account)[2:] == [(0, 0, 1)]
    assert account.told() == server.truth()
    assert repeated(account.log.facts) == []
    assert await account.audit(whole=True)


async def test_the_proof_is_renewed_at_every_look_at_which_the_server_says_the_same(begin: Begin) -> None:
    server = filled()
    account = await begin(server.asked_by)
    await account.audit()
    first = await account.db.fetchval("SELECT checked_at FROM sync_checks")
    await account.look()
    second = await account.db.fetchval("SELECT checked_at FROM sync_checks")
    assert second > first
    server.inbox.add(b"new")
    await account.look()
    assert await checked(account) == (12, 12, True)
    await account.look()
    assert await checked(account) == (13, 13, True)


async def test_a_number_that_differs_after_a_poll_is_seen_at_the_next_look(begin: Begin) -> None:
    server = filled()
    account = await begin(server.asked_by)
    await account.audit()
    del server.inbox.held[2]
    server.inbox.modseq += 1
    for _ in range(2):
        await account.look()
    assert await checked(account) == (12, 11, False)
    assert not await account.audit()
    assert await checked(account) == (11, 11, True)


async def test_a_mailbox_that_is_gone_needs_no_proof(begin: Begin) -> None:
    server = filled()
    account = await begin(server.asked_by)
    await account.audit()
    server.boxes.clear()
    await account.look()
    assert await account.db.fetchval("SELECT count(*) FROM sync_checks") == 0


async def test_a_server_that_claims_to_hold_milliards_costs_little(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = filled()
    server.inbox.uidnext = 4_000_000_000
    account = await begin(server.asked_by)
    monkeypatch.setattr(module, "MOST", 50)

    async def uids(mailbox: str, *, uidvalidity: int) -> tuple[MailboxStatus, str]:
        return server.inbox.status(condstore=True), "1:4000000000"

    monkeypatch.setattr(server, "uids", uids)
    assert not await account.audit()
    assert drifts(account) == []


@pytest.mark.parametrize(
    ("ranges", "others", "left"),
    [
        ([], [(1, 2)], []),
        ([(1, 9)], [], [(1, 9)]),
        ([(1, 9)], [(3, 4), (6, 6)], [(1, 2), (5, 5), (7, 9)]),
        ([(1, 3), (5, 9)], [(2, 6)], [(1, 1), (7, 9)]),
        ([(1, 3), (5, 9)], [(1, 9)], []),
        ([(4, 4), (6, 6)], [(1, 4)], [(6, 6)]),
    ],
)
def test_ranges_without_others(ranges: Ranges, others: Ranges, left: Ranges) -> None:
    assert _minus(ranges, others) == left
