"""The `webmail` command as operators use it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.admin.__main__ import COMMANDS, main
from services.embedded.folder import DataFolder
from services.embedded.nats import NatsServer
from tests.support.postgres_server import Postgres
from tests.support.rules import ROOT

MESSAGE = b"""From: =?utf-8?q?Gra=C5=BCyna?= <grazyna@poczta.test>
To: alex@demo.test
Subject: Niedziela
Date: Sun, 1 Mar 2026 12:00:00 +0100
Message-ID: <one@poczta.test>

Do zobaczenia!
"""
FIELDS = [
    *("subject", "from", "to", "cc", "date", "message_id", "in_reply_to", "references", "text", "html"),
    *("attachments", "warnings"),
]


@pytest.fixture
def servers(tmp_path: Path, nats_server: NatsServer, postgres: Postgres) -> Iterator[dict[str, str]]:
    """An empty database and a log of its own, as an administrator's environment."""
    with postgres.fresh() as dsn:
        own = NatsServer(tmp_path / "nats")
        own.start()
        yield {"DATABASE_URL": dsn, "NATS_URL": own.url, "DATA_DIR": str(tmp_path / "data"), "PARTITIONS": "2"}
        own.stop()


def webmail(*arguments: str, environ: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "services.admin", *arguments]
    return subprocess.run(command, env=environ or {}, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60)


def test_a_message_is_explained_in_one_line_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "one.eml"
    file.write_bytes(MESSAGE)
    assert main(["document", str(file), str(file), "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    told = json.loads(lines[0])
    assert list(told) == FIELDS
    assert told["from"] == [{"name": "Grażyna", "email": "grazyna@poczta.test"}]
    assert told["date"] == "2026-03-01T11:00:00Z"
    assert told["text"].strip() == "Do zobaczenia!"


def test_a_missing_file_is_named_and_the_others_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.eml"
    file.write_bytes(MESSAGE)
    assert main(["document", str(tmp_path / "none.eml"), str(file)]) == 1
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 1
    assert "none.eml: No such file" in told.err


def test_a_message_is_read_from_a_pipe() -> None:
    command = [sys.executable, "-m", "services.admin", "document", "/dev/stdin"]
    done = subprocess.run(command, input=MESSAGE, capture_output=True, check=True, cwd=ROOT)
    assert json.loads(done.stdout)["subject"] == "Niedziela"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in COMMANDS)


@pytest.mark.parametrize("given", [[], ["serve"], ["database"], ["streams", "delete"]])
def test_what_is_not_understood_ends_with_two(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status: object = main(given)
    except SystemExit as refusal:
        status = refusal.code
    assert status == 2
    assert "usage: webmail" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert COMMANDS[name] in " ".join(capsys.readouterr().out.split())


def test_a_database_and_a_log_are_made_once_and_told_of(servers: dict[str, str]) -> None:
    before = webmail("streams", "check", environ=servers)
    assert before.returncode == 1
    assert "FACTS_0 is missing" in before.stderr

    assert "applied 0001_" in webmail("database", "migrate", environ=servers).stdout
    assert webmail("database", "migrate", environ=servers).stdout == "nothing to apply\n"
    for action in ("apply", "check", "apply"):
        done = webmail("streams", action, environ=servers)
        assert (done.returncode, done.stdout) == (0, "the streams are as declared\n"), done.stderr

    other = webmail("streams", "apply", environ={**servers, "PARTITIONS": "3"})
    assert other.returncode == 1
    assert "PARTITIONS can't change" in other.stderr


def test_projections_are_told_of_verified_and_rebuilt(servers: dict[str, str]) -> None:
    webmail("database", "migrate", environ=servers)
    webmail("streams", "apply", environ=servers)
    status = webmail("projections", "status", "mail", environ=servers)
    assert status.stdout.splitlines()[1:] == ["  partition 0: 0 of 0", "  partition 1: 0 of 0"], status.stderr
    assert "mail: verified, equal" in webmail("projections", "verify", "mail", environ=servers).stdout
    assert "mail: rebuilt" in webmail("projections", "rebuild", "mail", environ=servers).stdout
    unchanged = webmail("projections", "rebuild", "--changed", environ=servers)
    assert (unchanged.returncode, unchanged.stdout) == (0, "")
    unknown = webmail("projections", "rebuild", "males", environ=servers)
    assert unknown.returncode == 1
    assert "there is no projection males" in unknown.stderr


def test_without_servers_the_command_says_what_to_do(tmp_path: Path) -> None:
    done = webmail("streams", "check", "--data", str(tmp_path))
    assert done.returncode == 1
    assert f"no webmail has run on {tmp_path}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_command_finds_the_servers_of_the_data_folder(servers: dict[str, str], tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.lock()
    folder.remember_environment(servers)
    folder.release()
    assert "applied 0001_" in webmail("database", "migrate", "--data", str(folder.root)).stdout


def test_an_administrator_must_not_hold_the_keys_of_a_process(servers: dict[str, str]) -> None:
    done = webmail("database", "migrate", environ={**servers, "MASTER_KEY": "x"})
    assert done.returncode == 1
    assert "admin must not hold MASTER_KEY" in done.stderr


def test_a_server_that_is_not_there_is_one_line_not_a_trace(servers: dict[str, str]) -> None:
    done = webmail("streams", "check", environ={**servers, "NATS_URL": "nats://127.0.0.1:1"})
    assert done.returncode == 1
    assert "no answer from NATS_URL" in done.stderr
    assert "Traceback" not in done.stderr
