"""The rules of the house that no linter knows hold, and each of them bites."""

from pathlib import Path

import pytest

from tests.support.rules import (
    ROOT,
    environment_reads,
    foreign_imports,
    impurities,
    modules,
    statements,
    tables,
    unbound,
)

SCHEMAS = sorted((ROOT / "projections").glob("*/schema.sql"))
PROJECTIONS = [schema.parent for schema in SCHEMAS if (schema.parent / "apply.sql").exists()]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_environment_is_read_in_one_place() -> None:
    reading = {
        named(path) for path in modules("contracts", "projections", "services") if environment_reads(path.read_text())
    }
    assert reading == {"services/config.py"}


@pytest.mark.parametrize(
    "source",
    [
        "import os\nkey = os.environ['KEY']",
        "import os\nkey = os.getenv('KEY')",
        "from os import environ",
        "from os import getenv as read",
        "import os\ndef late():\n    return {**os.environ}",
    ],
)
def test_reading_the_environment_elsewhere_is_noticed(source: str) -> None:
    assert environment_reads(source)


def test_folds_and_documents_know_no_clock_no_chance_and_no_network() -> None:
    impure = {named(path): found for path in modules("projections") if (found := impurities(path.read_text()))}
    assert impure == {}


@pytest.mark.parametrize(
    "source",
    [
        "from datetime import datetime\nnow = datetime.now()",
        "import datetime\nnow = datetime.datetime.now(datetime.UTC)",
        "import time\nnow = time.time()",
        "from uuid import uuid4\nid = uuid4()",
        "import uuid\nid = uuid.uuid4()",
        "import random",
        "from secrets import token_bytes",
        "from urllib import request",
        "import http.client",
    ],
)
def test_an_impure_fold_is_noticed(source: str) -> None:
    assert impurities(source)


def test_contracts_import_msgspec_and_nothing_else() -> None:
    foreign = {
        named(path): found
        for path in modules("contracts")
        if (found := foreign_imports(path.read_text(), {"msgspec", "contracts"}))
    }
    assert foreign == {}


@pytest.mark.parametrize(
    "source", ["import asyncpg", "from nats.aio.client import Client", "from projections import sql"]
)
def test_a_contract_that_imports_more_is_noticed(source: str) -> None:
    assert foreign_imports(source, {"msgspec", "contracts"})


def test_there_are_projections_to_read() -> None:
    assert PROJECTIONS


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda path: path.name)
@pytest.mark.parametrize("file", ["apply.sql", "read.sql"])
def test_every_statement_says_whose_rows_it_means(projection: Path, file: str) -> None:
    known = tables((projection / "schema.sql").read_text())
    text = (projection / file).read_text() if (projection / file).exists() else ""
    assert [name for name, statement in statements(text).items() if unbound(statement, known)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM messages WHERE id = $1",
        "DELETE FROM messages WHERE id = $2",
        "UPDATE messages SET size = $2 WHERE id = $1",
        "SELECT * FROM messages m JOIN threads t ON t.id = m.thread_id WHERE m.user_id = $1",
        "INSERT INTO messages (id) VALUES ($1)",
    ],
)
def test_a_statement_that_forgets_the_user_is_noticed(statement: str) -> None:
    assert unbound(statement, {"messages", "threads"})


def test_statements_and_tables_are_found() -> None:
    text = "-- name: one\n-- why\nSELECT 1\n\n-- name: two\nDELETE FROM a"
    assert statements(text) == {"one": "\n\nSELECT 1\n\n", "two": "\nDELETE FROM a"}
    assert tables("CREATE TABLE a (x int);\nCREATE TABLE IF NOT EXISTS b_c (y int);") == {"a", "b_c"}
