"""One request at a time and in order, accounts beside each other, and one outcome each, whoever dies or thinks that he is in charge."""

import asyncio
import random
import socket
import time

import pytest

from contracts.facts import FlagsRequested, RequestApplied, RequestExpired, RequestRefused
from services.outbound.outcomes import Outcome, Outcomes
from services.vault import Credentials, Vault
from tests.services.faults.mirror import mails
from tests.services.outbound.acting import Acting, Connect
from tests.services.outbound.holders import Outbound, holder, parts
from tests.services.outbound.test_changes_on_servers import make
from tests.support.dovecot import Dovecot, User
from tests.support.processes import Installation, until


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.fixture
async def account(act_on: Connect, dovecot: Dovecot, mail_user: User) -> Acting:
    dovecot.load(mail_user.name, mails(20))
    make(dovecot, mail_user, "Archive")
    connected = await act_on(dovecot, mail_user)
    await connected.mirror.equal()
    return connected


async def test_requests_are_done_in_the_order_in_which_they_were_asked_for(account: Acting) -> None:
    ones = await account.messages()
    asked = []
    for _ in range(5):
        asked += [await account.flag(ones, add=["\\Flagged"]), await account.flag(ones, remove=["\\Flagged"])]
    asked += [await account.move(ones, "INBOX", "Archive"), await account.flag(ones[:3], add=["\\Flagged"])]
    await account.done(*asked)
    assert [one.request_id for one in await account.outcomes()] == asked
    await account.mirror.equal()
    truth = await account.mirror.truth()
    assert sum("\\Flagged" in flags for _, flags in truth["Archive"].values()) == 3


async def test_an_account_whose_server_says_nothing_delays_no_other(
    account: Acting, act_on: Connect, dovecot: Dovecot
) -> None:
    silent = socket.create_server(("127.0.0.1", 0))  # connections are made and nobody takes them
    user = dovecot.user()
    dovecot.load(user.name, mails(1))
    slow = await act_on(dovecot, user)
    await slow.mirror.equal()
    (one,) = await slow.messages()
    await account.db.execute(
        "UPDATE accounts SET imap = jsonb_set(imap, '{port}', to_jsonb($2::int)) WHERE id = $1",
        slow.mirror.account.account_id,
        silent.getsockname()[1],
    )
    await slow.flag([one], add=["\\Seen"])
    began = time.monotonic()
    await account.done(await account.flag(await account.messages(), add=["\\Answered"]))
    assert time.monotonic() - began < 10
    assert await slow.outcomes() == []
    silent.close()


async def test_what_was_done_and_not_said_is_said_once_by_the_next_process(
    account: Acting, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbound.kill()
    ones = await account.messages()
    for what in ("flag", "move"):
        request = (
            await account.flag(ones[:5], add=["$Label1"])
            if what == "flag"
            else await account.move(ones[:5], "INBOX", "Archive")
        )
        async with parts(account.mirror.installed) as known:
            with monkeypatch.context() as patch:
                patch.setattr(Outcomes, "write", _die)
                async with holder(known, account.mirror.account.partition) as task:
                    await asyncio.wait({task}, timeout=10)
                    assert task.done()
        outbound.start()
        outcome = await account.outcome(request)
        assert isinstance(outcome, RequestApplied)
        assert {result.message_id for result in outcome.results} == set(ones[:5])
        await account.mirror.equal()
        outbound.kill()
    truth = await account.mirror.truth()
    assert [len(truth[path]) for path in ("INBOX", "Archive")] == [15, 5]


async def _die(_: Outcomes, __: Outcome) -> None:
    raise Killed


async def test_kill_9_at_any_moment_loses_and_repeats_nothing(account: Acting, outbound: Outbound) -> None:
    dice = random.Random(5)
    asked = []
    for _ in range(3):
        here, there = ("INBOX", "Archive") if dice.random() < 0.5 else ("Archive", "INBOX")
        ones = await account.messages()
        asked += [await account.flag(ones[n : n + 2], add=["\\Seen", "\\Flagged"]) for n in range(0, len(ones), 4)]
        asked += [await account.move([one], here, there) for one in await account.messages(here)]
        await asyncio.sleep(dice.random() / 3)
        outbound.kill()
        outbound.start()
        for request in asked:
            assert isinstance(await account.outcome(request), RequestApplied | RequestRefused)
        await account.mirror.equal()
    assert sorted(one.request_id for one in await account.outcomes()) == sorted(asked)
    truth = await account.mirror.truth()
    assert len(truth["INBOX"]) + len(truth["Archive"]) == 20


async def test_of_several_holders_one_says_what_became_of_a_request(account: Acting) -> None:
    """The process, and two more who take the partition for theirs."""
    partition = account.mirror.account.partition
    ones = await account.messages()
    async with (
        parts(account.mirror.installed) as first,
        parts(account.mirror.installed) as second,
        holder(first, partition),
        holder(second, partition),
    ):
        asked = [await account.flag(ones[n : n + 3], add=[f"$Label{1 + n % 4}"]) for n in range(8)]
        asked += [await account.move([one], "INBOX", "Archive") for one in ones[:8]]
        await account.done(*asked)
    assert [one.request_id for one in await account.outcomes()] == asked
    await account.mirror.equal()


async def test_what_could_not_be_done_in_time_expires(account: Acting) -> None:
    (one, *_) = await account.messages()
    request = await account.ask(FlagsRequested, [one], ago=4 * 86_400, add=["\\Seen"])
    assert isinstance(await account.outcome(request), RequestExpired)


async def test_a_password_that_is_refused_refuses_the_request_and_a_new_one_is_used(account: Acting) -> None:
    mirror = account.mirror
    (one, *_) = await account.messages()
    good = mirror.user.password
    await _give(account, "wrong")
    refused = await account.outcome(await account.flag([one], add=["\\Seen"]))
    assert isinstance(refused, RequestRefused)
    assert refused.code == "auth_failed"
    await _give(account, good)
    await account.done(await account.flag([one], add=["\\Seen"]))


async def test_what_is_asked_of_a_paused_account_waits_until_it_goes_on(account: Acting, acting: Installation) -> None:
    (one, *_) = await account.messages()
    await _pause(account, paused=True)
    request = await account.flag([one], add=["\\Flagged"])
    waits = f'"request": "{request}", "error": "AccountPaused"'
    await until(lambda: waits in acting.log_of("outbound"))
    await _pause(account, paused=False)
    await account.done(request)


async def _pause(account: Acting, *, paused: bool) -> None:
    who = account.mirror.account.account_id
    await account.db.execute("UPDATE accounts SET paused = $2 WHERE id = $1", who, paused)


async def _give(account: Acting, password: str) -> None:
    """As sync does when it has tried a password."""
    installed, who = account.mirror.installed, account.mirror.account.account_id
    sealed = Vault(installed.master_key).keep(who, Credentials(imap_password=password).encoded())
    await account.db.execute(
        "UPDATE account_secrets SET sealed = $2, version = version + 1 WHERE account_id = $1", who, sealed
    )


async def test_what_is_done_is_not_read_again(account: Acting, acting: Installation) -> None:
    partition = account.mirror.account.partition
    await account.done(await account.flag(await account.messages(), add=["\\Seen"]))
    head = (await account.mirror.installed.facts(account.mirror.account))[-1].sequence

    async def marked() -> bool:
        mark = await acting.db.fetchval("SELECT sequence FROM outbound_marks WHERE partition = $1", partition)
        return mark is not None and 0 < mark <= head

    await until(marked, seconds=20)
