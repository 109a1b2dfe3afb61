"""`webmail users`: who is here, and links for whoever is not, or is locked out."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256

import psycopg
import pytest

from services.state.prepare import prepare
from tests.support.postgres_server import Postgres
from tests.support.rules import ROOT

Command = Callable[..., str]


@pytest.fixture
def dsn(postgres: Postgres, migrated_template: str) -> object:
    with postgres.fresh(migrated_template) as dsn:
        asyncio.run(prepare(dsn, [], 1))
        yield dsn


@pytest.fixture
def command(dsn: str) -> Command:
    """Runs one, as the operator of mail.test; gives what it printed."""
    environ = {"DATABASE_URL": dsn, "NATS_URL": "nats://nowhere.invalid", "APP_DOMAIN": "mail.test"}

    def run(*arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "services.admin", "users", *arguments],
            env=environ,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return run


def rows(dsn: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn) as db:
        return db.execute(statement.encode()).fetchall()


def add(dsn: str, handle: str) -> None:
    with psycopg.connect(dsn) as db:
        db.execute("INSERT INTO users (handle, password_hash) VALUES (%s, '-')", [handle])


def test_everybody_is_listed_with_what_an_operator_needs(dsn: str, command: Command) -> None:
    assert command("list") == ""
    add(dsn, "anna@mail.test")
    add(dsn, "bob@mail.test")
    with psycopg.connect(dsn) as db:
        db.execute("UPDATE users SET totp_secret = 'x', removed_at = now() WHERE handle = 'bob@mail.test'")
    anna, bob = command("list").splitlines()
    assert anna.startswith("anna@mail.test  0 accounts, administrator, since ")
    assert bob.startswith("bob@mail.test  0 accounts, leaving, two-step sign-in, since ")


def test_an_invitation_is_a_link_whose_token_is_kept_only_as_a_hash(dsn: str, command: Command) -> None:
    link = command("invite", "--days", "2").strip()
    page, _, token = link.partition("#")
    assert page == "https://mail.test/register"
    kept = rows(
        dsn, "SELECT token_hash, user_id, extract(day FROM expires_at - now() + interval '1 minute') FROM links"
    )
    assert kept == [(sha256(token.encode()).digest(), None, True)]


def test_a_reset_is_good_for_half_an_hour_and_the_one_before_it_no_more(dsn: str, command: Command) -> None:
    add(dsn, "anna@mail.test")
    command("reset", "anna")
    link = command("reset", "ANNA@mail.test", "--address", "https://webmail.test/").strip()
    page, _, token = link.partition("#")
    assert page == "https://webmail.test/reset"
    kept = rows(dsn, "SELECT token_hash, expires_at - created_at = interval '30 minutes' FROM links")
    assert kept == [(sha256(token.encode()).digest(), True)]


def test_whoever_lost_the_app_gets_in_without_it(dsn: str, command: Command) -> None:
    add(dsn, "anna@mail.test")
    with psycopg.connect(dsn) as db:
        db.execute("UPDATE users SET totp_secret = 'x'")
        db.execute("INSERT INTO recovery_codes (user_id, code_hash) SELECT id, 'x' FROM users")
    command("reset", "anna")
    assert rows(dsn, "SELECT totp_secret IS NULL FROM users") == [(False,)]
    command("reset", "anna", "--second-factor")
    assert rows(dsn, "SELECT totp_secret IS NULL FROM users") == [(True,)]
    assert rows(dsn, "SELECT count(*) FROM recovery_codes") == [(0,)]


def test_the_right_to_invite_is_given_and_taken(dsn: str, command: Command) -> None:
    add(dsn, "anna@mail.test")
    add(dsn, "bob@mail.test")
    command("appoint", "bob")
    command("dismiss", "anna")
    assert rows(dsn, "SELECT handle::text, is_admin FROM users ORDER BY 1") == [
        ("anna@mail.test", False),
        ("bob@mail.test", True),
    ]


@pytest.mark.parametrize(
    "arguments", [("reset", "nobody"), ("appoint", "nobody@elsewhere.test"), ("invite", "--days", "0")]
)
def test_what_can_not_be_done_is_told(command: Command, arguments: tuple[str, ...]) -> None:
    assert command(*arguments, status=1).startswith("webmail: ")
