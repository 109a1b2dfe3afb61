"""Every role, as its own user: what it needs it may, and nothing that it sends loses or adds a fact."""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from contracts import streams
from contracts.events import UserActive
from contracts.facts import AccountConnected, FlagsRequested, RequestExpired, SendCancelled, SendQueued
from contracts.streams import Role, facts_name
from services.embedded.nats import NatsServer
from services.log import api, headers, leases
from services.log.append import append, append_send
from services.log.appender import AccountAppender
from services.log.apply import apply, check
from services.log.connection import Connection, connect
from services.log.errors import Forbidden, LogError
from services.log.permissions import passwords, users
from services.log.reader import PartitionLog
from tests.services.log.given import AT, PARTITIONS, Account, everything, new_account, stored


@dataclass
class Guarded:
    """A server with the product's users, a connection a role, and an account with some facts."""

    server: NatsServer
    by: Mapping[Role, Connection]
    account: Account


@pytest.fixture(scope="module")
async def guarded() -> AsyncIterator[Guarded]:
    with tempfile.TemporaryDirectory(prefix="wm-roles-") as folder:
        server = NatsServer(Path(folder), users=users(passwords()))
        server.start()
        by = {role: await connect(server.url_of(role), role) for role in Role}
        await apply(by[Role.ADMIN], PARTITIONS, 1)
        account = new_account()
        appender = AccountAppender(by[Role.SYNC], account.subjects)
        await appender.claim("one")
        await appender.append(account.arrivals(1, 5), account.mark(5))
        yield Guarded(server, by, account)
        for connection in by.values():
            await connection.close()
        server.stop()


async def test_every_role_may_check_the_log_at_its_start(guarded: Guarded) -> None:
    for connection in guarded.by.values():
        await check(connection, PARTITIONS)


async def test_every_role_may_do_its_work(guarded: Guarded) -> None:
    account = new_account()
    place, whose = account.subjects, {"user_id": account.subjects.user_id, "account_id": account.subjects.account_id}
    gateway, sync, outbound, projector = (
        guarded.by[role] for role in (Role.GATEWAY, Role.SYNC, Role.OUTBOUND, Role.PROJECTOR)
    )
    await append(gateway, place.account, AccountConnected(**whose, at=AT))
    request = uuid4()
    await append(gateway, place.request, FlagsRequested(**whose, at=AT, request_id=request, message_ids=[uuid4()]))
    outbox = uuid4()
    queued = await append_send(
        gateway, place.send(outbox), SendQueued(**whose, at=AT, outbox_id=outbox, draft_id=uuid4(), due=AT), expected=0
    )
    await append_send(outbound, place.send(outbox), SendCancelled(**whose, at=AT, outbox_id=outbox), expected=queued)
    await append(outbound, place.outcome, RequestExpired(**whose, at=AT, request_id=request))
    appender = AccountAppender(sync, place)
    await appender.claim("one")
    await appender.append(account.arrivals(1, 2), account.mark(2))
    assert (await appender.marks())[account.mailbox_id].high_uid == 2
    assert len(await everything(projector, account)) == 9
    log = PartitionLog(projector, account.partition)
    assert await log.coming(await log.head(), 100) == []
    for role in (Role.SYNC, Role.OUTBOUND, Role.PROJECTOR):
        lease = await leases.take(guarded.by[role], f"test.{role}", role, 5)
        assert lease is not None
        await lease.renew()
        await lease.release()


async def test_sync_answers_the_gateways_requests_and_may_publish_nothing_else_there(guarded: Guarded) -> None:
    gateway, sync = guarded.by[Role.GATEWAY], guarded.by[Role.SYNC]

    async def respond(message: object) -> None:
        await message.respond(b'{"ok":true}')  # type: ignore[attr-defined] # nats-py's message

    serving = await sync.subscribe("rpc.sync.account.connect", queue="sync", cb=respond)
    answer = await gateway.request("rpc.sync.account.connect", b"{}", timeout=2)
    assert json.loads(answer.data) == {"ok": True}
    await serving.unsubscribe()
    with pytest.raises(Forbidden):
        await api.publish(sync, f"{streams.inbox(Role.GATEWAY)}.anything", b"{}", {})


async def test_events_reach_the_gateway_and_only_logins_reach_sync(guarded: Guarded) -> None:
    gateway, sync, projector = (guarded.by[role] for role in (Role.GATEWAY, Role.SYNC, Role.PROJECTOR))
    user = guarded.account.subjects.user_id
    seen = await gateway.subscribe(f"event.{user}.>")
    active = await sync.subscribe("event.*.user.active")
    await api.publish(projector, f"event.{user}.thread.updated", b"{}", {headers.MESSAGE_ID: uuid4().hex})
    await api.publish(gateway, f"event.{user}.user.active", json.dumps({"event": UserActive.__name__}).encode(), {})
    assert (await seen.next_msg(2)).subject == f"event.{user}.thread.updated"
    assert (await active.next_msg(2)).subject == f"event.{user}.user.active"
    assert active.pending_msgs == 0
    await seen.unsubscribe()
    await active.unsubscribe()
    for denied in (f"event.{user}.>", "fact.>"):
        with pytest.raises(Forbidden):
            await sync.subscribe(denied)


MAY_NOT = {
    Role.GATEWAY: ("sync.lease", "sync.account", "outcome"),
    Role.SYNC: ("account", "request", "outcome", f"send.{uuid4()}"),
    Role.OUTBOUND: ("account", "request", "sync.lease", f"sync.{uuid4()}.mark"),
    Role.PROJECTOR: ("account", "request", "outcome", "sync.lease", f"send.{uuid4()}"),
    Role.PLUGINS: ("account", "request", "outcome", "sync.lease", f"send.{uuid4()}"),
}
ROLES = tuple(MAY_NOT)


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_may_not_write_what_another_says(guarded: Guarded, role: Role) -> None:
    before = await stored(guarded.by[Role.ADMIN], guarded.account.partition)
    for rest in MAY_NOT[role]:
        with pytest.raises(Forbidden, match=role):
            await api.publish(guarded.by[role], f"{guarded.account.subjects.root}.{rest}", b"{}", {})
    assert await stored(guarded.by[Role.ADMIN], guarded.account.partition) == before


WRITES = {
    Role.GATEWAY: {"rate_limits", "sync_jobs"},
    Role.SYNC: {"leases", "cooldowns", "rate_limits", "sync_jobs"},
    Role.OUTBOUND: {"leases", "cooldowns"},
    Role.PROJECTOR: {"leases"},
    Role.PLUGINS: set[str](),
}


@pytest.mark.parametrize("bucket", streams.BUCKETS)
@pytest.mark.parametrize("role", ROLES)
async def test_a_role_writes_the_buckets_that_its_work_needs_and_no_others(
    guarded: Guarded, role: Role, bucket: streams.Bucket
) -> None:
    key = f"$KV.{bucket.name}.{uuid4()}"
    if bucket.name in WRITES[role]:
        await api.publish(guarded.by[role], key, b"{}", {})
        return
    with pytest.raises(Forbidden, match=role):
        await api.publish(guarded.by[role], key, b"{}", {})
    assert await api.from_leader(guarded.by[Role.ADMIN], f"KV_{bucket.name}", {"last_by_subj": key}) is None


async def test_the_gateway_reads_cooldowns_and_jobs_by_replica_and_by_leader_and_hears_neither(
    guarded: Guarded,
) -> None:
    gateway = guarded.by[Role.GATEWAY]
    for name in ("cooldowns", "sync_jobs"):
        key = f"$KV.{name}.{uuid4()}"
        await api.publish(guarded.by[Role.SYNC], key, b"{}", {})
        assert await api.from_leader(gateway, f"KV_{name}", {"last_by_subj": key})
        found = await api.listed(gateway, f"KV_{name}", {"seq": 1, "batch": 10, "next_by_subj": key})
        assert [message.subject for message in found.messages] == [key]
        with pytest.raises(Forbidden):
            await gateway.subscribe(f"$KV.{name}.>")


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_may_not_change_or_remove_streams_or_consumers(guarded: Guarded, role: Role) -> None:
    name = facts_name(guarded.account.partition)
    for denied in (
        f"STREAM.PURGE.{name}",
        f"STREAM.DELETE.{name}",
        f"STREAM.UPDATE.{name}",
        f"STREAM.MSG.DELETE.{name}",
        f"STREAM.RESTORE.{name}",
        f"STREAM.SNAPSHOT.{name}",
        f"STREAM.LEADER.STEPDOWN.{name}",
        "STREAM.CREATE.ANOTHER",
        f"CONSUMER.CREATE.{name}",
        f"CONSUMER.CREATE.{name}.mine.fact.>",
        f"CONSUMER.DURABLE.CREATE.{name}.mine",
        f"CONSUMER.DELETE.{name}.outbound-0",
    ):
        with pytest.raises(Forbidden, match=role):
            await api.ask(guarded.by[role], denied, {})
    await check(guarded.by[Role.ADMIN], PARTITIONS)


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_may_not_listen_in_anothers_inbox(guarded: Guarded, role: Role) -> None:
    for other in Role:
        if other is not role:
            with pytest.raises(Forbidden, match=role):
                await guarded.by[role].subscribe(f"{streams.inbox(other)}.>")
    with pytest.raises(Forbidden, match=role):
        await guarded.by[role].subscribe(">")


OWN = {
    Role.GATEWAY: ("account", "request"),
    Role.SYNC: ("sync.account", "sync.lease"),
    Role.OUTBOUND: ("outcome",),
    Role.PROJECTOR: (),
    Role.PLUGINS: (),
    Role.ADMIN: ("account", "sync.account"),
}
EXPECTED_LAST_MESSAGE = {"Nats-Expected-Last-Msg-Id": "none"}
DANGERS: tuple[dict[str, str], ...] = (
    {"Nats-Rollup": "all"},
    {"Nats-Rollup": "sub"},
    {"Nats-TTL": "1s"},
    {"Nats-TTL": "never"},
    {"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": "fact.0.x.y.account"},
    {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": "fact.0.x.y.account"},
    {"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": "fact.0.x.y.account", "Nats-Rollup": "sub"},
    {"Nats-Expected-Last-Sequence": "999999"},
    EXPECTED_LAST_MESSAGE,
    {"Nats-Expected-Stream": "EVENTS"},
    {"Nats-Expected-Last-Subject-Sequence": "999999"},
    {"Nats-Expected-Last-Subject-Sequence": "-1"},
    {"Nats-Incr": "+1"},
    {"Nats-Batch-Id": "left-open", "Nats-Batch-Sequence": "1"},
    {"Nats-Batch-Id": "no-beginning", "Nats-Batch-Sequence": "7", "Nats-Batch-Commit": "1"},
)


async def test_no_header_of_any_role_loses_or_adds_a_fact(guarded: Guarded) -> None:
    """Also of admin, who may publish anything: it is the streams that refuse, not the permissions."""
    root = guarded.account.subjects.root
    before, counted = [recorded async for recorded in _records(guarded)], await _counted(guarded)
    for role in Role:
        for danger in DANGERS:
            for rest in dict.fromkeys((*OWN[role], "sync.account", "request", "account", "outcome")):
                with contextlib.suppress(LogError):
                    await api.publish(guarded.by[role], f"{root}.{rest}", b"{}", danger, timeout=0.3)
    await asyncio.sleep(1.2)  # what expires or is scheduled would by now
    assert [recorded async for recorded in _records(guarded)] == before
    assert await _counted(guarded) == counted
    again = AccountAppender(guarded.by[Role.SYNC], guarded.account.subjects)
    await again.claim("still able")


@pytest.mark.parametrize("role", Role)
async def test_an_answer_sent_to_a_facts_subject_is_no_fact(guarded: Guarded, role: Role) -> None:
    """JetStream publishes its acknowledgements and answers wherever the reply points, past the asker's permissions."""
    connection, target = guarded.by[role], guarded.account.subjects.mailbox(guarded.account.mailbox_id)
    user = guarded.account.subjects.user_id
    before = await everything(guarded.by[Role.ADMIN], guarded.account)
    name = facts_name(guarded.account.partition)
    for subject, body in (
        (f"event.{user}.plugin.example", b"{}"),
        (f"event.{user}.user.active", b"{}"),
        ("$JS.API.INFO", b""),
        (f"$JS.API.STREAM.INFO.{name}", b""),
        (f"$JS.API.STREAM.MSG.GET.{name}", b'{"seq":2}'),
        (f"$JS.API.DIRECT.GET.{name}", b'{"seq":2}'),
        (f"$JS.API.DIRECT.GET.{name}", b'{"seq":2,"batch":3}'),
        (f"$JS.API.DIRECT.GET.{name}.{target}", b""),
        ("$KV.leases.some", b"x"),
    ):
        await connection.publish(subject, body, reply=target)
    await connection.flush()
    await asyncio.sleep(0.3)
    assert await everything(guarded.by[Role.ADMIN], guarded.account) == before


async def test_a_schedule_of_the_gateway_reaches_no_fact(guarded: Guarded) -> None:
    gateway, place = guarded.by[Role.GATEWAY], guarded.account.subjects
    counted = await _counted(guarded)
    for target in (place.account, place.state, f"wake.{place.partition}.send"):
        more = {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": target}
        with contextlib.suppress(LogError):
            await api.publish(gateway, place.timer("one"), b"one", more)
    await asyncio.sleep(1.5)
    assert await _counted(guarded) == counted
    woken = await api.from_leader(gateway, "TIMERS", {"last_by_subj": f"wake.{place.partition}.send"})
    assert woken is not None


async def test_a_wrong_password_and_no_password_are_refused(guarded: Guarded) -> None:
    for credentials in ({}, {"user": "sync", "pass": "wrong"}, {"user": "root", "pass": "root"}):
        assert b"Authorization Violation" in await _greeted(guarded.server.port, credentials)


async def _greeted(port: int, credentials: dict[str, str]) -> bytes:
    """What the server says to a client, without a library that would try again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()
    writer.write(b"CONNECT " + json.dumps({"verbose": False, **credentials}).encode() + b"\r\nPING\r\n")
    said = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return said


async def _records(guarded: Guarded) -> AsyncIterator[tuple[int, int]]:
    """What readers see of both partitions: sequences of facts."""
    for partition in range(PARTITIONS):
        log, after = PartitionLog(guarded.by[Role.ADMIN], partition), 0
        while facts := await log.read(after, 1000):
            for recorded in facts:
                yield partition, recorded.sequence
            after = facts[-1].sequence


async def _counted(guarded: Guarded) -> int:
    return sum([await stored(guarded.by[Role.ADMIN], partition) for partition in range(PARTITIONS)])
