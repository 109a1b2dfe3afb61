"""The pytest plugin that gives tests their real servers: `nats_server`, `nats_cluster`, `postgres`, `database`."""

from tests.support.nats_server import nats_cluster, nats_server
from tests.support.postgres_server import database, migrated_template, postgres

__all__ = ["database", "migrated_template", "nats_cluster", "nats_server", "postgres"]
