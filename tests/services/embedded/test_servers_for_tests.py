"""The servers that all other tests stand on."""

import asyncio

import asyncpg
import nats
import psycopg
import pytest
from nats.js.api import StreamConfig

from services.embedded.nats import NatsCluster, NatsServer
from tests.support.postgres_server import Postgres


async def test_what_was_acknowledged_survives_a_kill_of_nats_server(nats_server: NatsServer) -> None:
    connection = await nats.connect(nats_server.url)
    log = connection.jetstream()
    await log.add_stream(StreamConfig(name="KILLED", subjects=["killed.>"]))
    await log.publish("killed.one", b"kept")
    await connection.close()

    nats_server.kill9()
    nats_server.start()

    connection = await nats.connect(nats_server.url)
    kept = await connection.jetstream().get_msg("KILLED", 1)
    assert kept.data == b"kept"
    await connection.jetstream().delete_stream("KILLED")
    await connection.close()


async def test_three_nodes_elect_a_leader_and_keep_three_copies(nats_cluster: NatsCluster) -> None:
    connection = await nats.connect(nats_cluster.urls)
    log = connection.jetstream()
    for _ in range(100):
        try:
            made = await log.add_stream(StreamConfig(name="THREE", subjects=["three.>"], num_replicas=3))
            break
        except nats.js.errors.ServiceUnavailableError:
            await asyncio.sleep(0.1)
    assert made.cluster is not None
    assert len(made.cluster.replicas or []) == 2
    await connection.close()


async def test_each_test_has_a_database_of_its_own(postgres: Postgres, database: str) -> None:
    with postgres.fresh() as another:
        db = await asyncpg.connect(another)
        await db.execute("CREATE TABLE only_here ()")
        await db.close()
        db = await asyncpg.connect(database)
        assert await db.fetchval("SELECT to_regclass('only_here')") is None
        await db.close()


def test_a_fresh_database_is_migrated(database: str) -> None:
    with psycopg.connect(database) as db:
        assert db.execute("SELECT count(*) FROM users").fetchone() == (0,)


def test_a_role_needs_its_password(postgres: Postgres, database: str) -> None:
    with psycopg.connect(postgres.dsn_as("gateway", database)) as db:
        assert db.execute("SELECT current_user").fetchone() == ("webmail_gateway",)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.server.dsn("webmail_gateway", "webmail_sync"))
