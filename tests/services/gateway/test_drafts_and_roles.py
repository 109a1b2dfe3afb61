"""What each role of the database may do with identities, drafts and their files, and what older accounts are given."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import psycopg
import pytest

from services.state.migrate import migrate, revert
from tests.support.postgres_server import Postgres

Database: TypeAlias = "psycopg.Connection[Any]"

TABLES = ("identities", "drafts", "draft_quotes", "uploads", "upload_pieces")


@pytest.fixture
def written(database: str) -> Iterator[Database]:
    """Ada and Bob each with a draft and a file; nothing of it stays."""
    with psycopg.connect(database) as db:
        for handle in ("ada@localhost", "bob@localhost"):
            db.execute("INSERT INTO users (handle, password_hash) VALUES (%s, '')", [handle])
        db.execute("INSERT INTO accounts (user_id, email, imap, status) SELECT id, handle, '{}', 'active' FROM users")
        db.execute(
            "INSERT INTO drafts (user_id, account_id, message_id_header, kind) SELECT user_id, id, '<d@x>', 'new' FROM accounts"
        )
        db.execute(
            "INSERT INTO draft_quotes (draft_id, user_id, account_id, blob, html, text, images) "
            "SELECT id, user_id, account_id, '', '', '', '[]' FROM drafts"
        )
        db.execute("INSERT INTO uploads (user_id, draft_id, filename, size) SELECT user_id, id, 'a', 3 FROM drafts")
        db.execute(
            "INSERT INTO upload_pieces (user_id, upload_id, start, bytes) SELECT user_id, id, 0, 'x' FROM uploads"
        )
        yield db
        db.rollback()


def as_ada(db: Database) -> None:
    db.execute("SELECT set_config('app.user_id', (SELECT id::text FROM users WHERE handle = 'ada@localhost'), true)")


def test_the_gateway_sees_what_the_named_user_wrote_and_nothing_else(
    written: Database,
) -> None:
    written.execute("SET ROLE webmail_gateway")
    for table in (*TABLES, "open_drafts"):
        assert written.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    as_ada(written)
    for table in (*TABLES, "open_drafts"):
        rows = written.execute(f"SELECT user_id = current_user_id() FROM {table}").fetchall()
        assert rows == [(True,)], table


def test_outbound_reads_everybodys_drafts_notes_where_copies_are_and_removes_them(
    written: Database,
) -> None:
    written.execute("SET ROLE webmail_outbound")
    assert written.execute("SELECT count(*) FROM drafts").fetchone() == (2,)
    assert written.execute("SELECT count(*) FROM identities").fetchone() == (2,)
    written.execute("UPDATE drafts SET mirrored_edition = 1, mirrored_at = now(), mirror_uid = 7")
    assert written.execute("SELECT DISTINCT mirror_uid FROM open_drafts").fetchall() == [(7,)]
    written.execute("DELETE FROM drafts")
    assert written.execute("SELECT count(*) FROM uploads").fetchone() == (0,)


@pytest.mark.parametrize(
    ("role", "forbidden"),
    [
        ("webmail_gateway", "UPDATE drafts SET mirrored_at = now()"),
        ("webmail_gateway", "UPDATE drafts SET message_id_header = ''"),
        ("webmail_gateway", "UPDATE drafts SET user_id = gen_random_uuid()"),
        ("webmail_gateway", "UPDATE identities SET account_id = gen_random_uuid()"),
        ("webmail_gateway", "SELECT blob FROM loose_blobs"),
        ("webmail_gateway", "SELECT blob FROM named_blobs"),
        ("webmail_outbound", "UPDATE drafts SET html = ''"),
        ("webmail_outbound", "UPDATE draft_quotes SET html = ''"),
        ("webmail_outbound", "UPDATE uploads SET blob = ''"),
        ("webmail_outbound", "INSERT INTO uploads (filename) VALUES ('')"),
        ("webmail_outbound", "SELECT bytes FROM upload_pieces"),
        ("webmail_outbound", "UPDATE identities SET email = 'x@y'"),
        ("webmail_outbound", "SELECT forget_abandoned('0')"),
        ("webmail_outbound", "SELECT forget_ended_sends('0')"),
        ("webmail_sync", "SELECT html FROM drafts"),
        ("webmail_sync", "SELECT html FROM draft_quotes"),
        ("webmail_sync", "SELECT blob FROM uploads"),
        ("webmail_projector", "SELECT html FROM drafts"),
        ("webmail_projector", "SELECT email FROM identities"),
        ("webmail_plugins", "SELECT html FROM drafts"),
    ],
)
def test_a_role_is_refused_what_others_write(written: Database, role: str, forbidden: str) -> None:
    written.execute(f"SET ROLE {role}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        written.execute(forbidden)


def test_accounts_of_before_are_given_a_default_identity(postgres: Postgres) -> None:
    with postgres.fresh() as dsn:
        migrate(dsn)
        revert(dsn, 12)
        with psycopg.connect(dsn) as db:
            db.execute("INSERT INTO users (handle, password_hash) VALUES ('ada@localhost', '')")
            db.execute(
                "INSERT INTO accounts (user_id, email, display_name, imap) SELECT id, 'ada@x.example', 'Ada', '{}' FROM users"
            )
        migrate(dsn)
        with psycopg.connect(dsn) as db:
            rows = db.execute("SELECT email::text, name, is_default FROM identities").fetchall()
        assert rows == [("ada@x.example", "Ada", True)]
