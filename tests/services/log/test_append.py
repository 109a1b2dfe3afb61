"""What the gateway and outbound say: a request is one fact however often it is sent, and of rivals for a send one wins."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest

from contracts.codec import MisplacedFact
from contracts.facts import AccountConnected, Fact, FlagsRequested, SendAttempted, SendCancelled, SendEdited, SendQueued
from services.log import api, append
from services.log.append import append_send
from services.log.connection import Connection
from services.log.errors import Conflict, Refused, Unavailable
from tests.services.log.given import AT, Account, connected, everything, new_account, stored


async def one_of_three_wins(connections: Sequence[Connection], account: Account) -> None:
    """Edit, cancel and attempt one queued send at once."""
    whose = {"user_id": account.subjects.user_id, "account_id": account.subjects.account_id, "at": AT}
    outbox, draft = uuid4(), uuid4()
    subject = account.subjects.send(outbox)
    queued = SendQueued(**whose, outbox_id=outbox, draft_id=draft, due=AT)
    expected = await append_send(connections[0], subject, queued, expected=0)
    rivals: tuple[Fact, ...] = (
        SendEdited(**whose, outbox_id=outbox, draft_id=draft, due=AT),
        SendCancelled(**whose, outbox_id=outbox),
        SendAttempted(**whose, outbox_id=outbox, attempt=1),
    )
    outcomes = await asyncio.gather(
        *(append_send(nc, subject, fact, expected=expected) for nc, fact in zip(connections, rivals, strict=True)),
        return_exceptions=True,
    )
    won = [outcome for outcome in outcomes if isinstance(outcome, int)]
    assert len(won) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 2
    last = await api.last(connections[0], account.partition, subject)
    assert last is not None
    assert last.sequence == won[0]


async def test_of_edit_cancel_and_attempt_exactly_one_wins_on_one_node(nc: Connection, account: Account) -> None:
    for _ in range(15):
        await one_of_three_wins((nc, nc, nc), account)


async def test_a_request_sent_twice_is_one_fact(nc: Connection, account: Account) -> None:
    request = uuid4()
    fact = FlagsRequested(
        user_id=account.subjects.user_id,
        account_id=account.subjects.account_id,
        at=AT,
        request_id=request,
        message_ids=[uuid4()],
        add=["\\Seen"],
    )
    first = await append.append(nc, account.subjects.request, fact, key=str(request))
    assert await append.append(nc, account.subjects.request, fact, key=str(request)) == first
    assert await everything(nc, account) == [fact]


async def test_the_same_key_on_another_subject_is_another_fact(nc: Connection, account: Account) -> None:
    other = new_account(account.subjects.user_id)
    await append.append(nc, account.subjects.account, connected(account), key="one")
    await append.append(nc, other.subjects.account, connected(other), key="one")
    assert len(await everything(nc, account)) == 2


async def test_a_fact_goes_only_to_its_own_subject(nc: Connection, account: Account) -> None:
    for subject in (account.subjects.request, new_account().subjects.account, account.subjects.state):
        with pytest.raises(MisplacedFact):
            await append.append(nc, subject, connected(account))
    assert await stored(nc, account.partition) == 0


async def test_a_log_that_is_not_there_is_said_after_a_while(
    nc: Connection, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append, "PATIENCE", 0.2)
    fact = AccountConnected(user_id=account.subjects.user_id, account_id=account.subjects.account_id, at=AT)
    await api.ask(nc, f"STREAM.DELETE.FACTS_{account.partition}")
    with pytest.raises((Unavailable, Refused)):
        await append.append(nc, account.subjects.account, fact)
