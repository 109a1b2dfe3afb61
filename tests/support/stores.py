"""Everything that an installation has stored, as its administrator can read it: where in it is this?"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import msgspec
import psycopg

from contracts import codec
from contracts.facts import AccountErased
from contracts.streams import Role
from services.log import api
from services.log.connection import Connection, connect

TABLES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm', 'p') AND c.relname <> 'erased' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_t%'
ORDER BY 1
"""
"""Also those that a plugin or a rebuild made; tombstones, by which a fold ignores whatever comes later, apart."""


class Place(NamedTuple):
    """One row, message or file, and what it is found by."""

    where: str
    text: bytes


class Stores:
    """`environ`: the administrator's way to the log and the database. `data`: the installation's folder."""

    def __init__(self, environ: Mapping[str, str], data: Path) -> None:
        self._environ = environ
        self._data = data

    def holding(self, *needles: str | UUID) -> list[str]:
        """Where any of them is, in whatever form a store would hold it; tombstones apart, which hold nothing else."""
        forms = [form for needle in needles for form in written(needle)]
        return [place.where for place in self._places() if any(form in place.text.lower() for form in forms)]

    def _places(self) -> Iterator[Place]:
        yield from rows(self._environ["DATABASE_URL"])
        yield from files(self._data / "blobs")
        yield from files(self._data / "spool")
        yield from read(self._environ["NATS_URL"])


def written(needle: str | UUID) -> Iterator[bytes]:
    """As text, as bytes, and as the hex digits of either, in small letters."""
    text = str(needle).lower().encode()
    yield from (text, text.hex().encode())
    if isinstance(needle, UUID):
        yield from (needle.bytes, needle.hex.encode())


def rows(dsn: str) -> Iterator[Place]:
    """Every row of every table, as text; bytes in it are hex digits."""
    with psycopg.connect(dsn) as db:
        for (table,) in db.execute(TABLES).fetchall():
            for (row,) in db.execute(f"SELECT row::text FROM {table} AS row").fetchall():
                yield Place(f"table {table}", row.encode())


def files(folder: Path) -> Iterator[Place]:
    """Names and contents."""
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        yield Place(f"file {path.relative_to(folder.parent)}", str(path).encode() + b"\n" + content)


def read(url: str) -> Iterable[Place]:
    """The same where a loop runs already, as in tests with a browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(messages(url))).result()


async def messages(url: str) -> Iterable[Place]:
    """Subject, headers and content of each message of each stream, KV buckets among them."""
    nc = await connect(url, Role.ADMIN)
    try:
        names = (await api.ask(nc, "STREAM.NAMES"))["streams"]
        found = [(name, message) for name in names async for message in stored(nc, name)]
    finally:
        await nc.close()
    return [
        Place(f"stream {name}: {one.subject}", f"{one.subject} {dict(one.headers)} ".encode() + one.data)
        for name, one in found
        if not tombstone(one.data)
    ]


async def stored(nc: Connection, stream: str) -> AsyncIterator[api.Stored]:
    """In order; many at once where that is allowed."""
    direct = (await api.ask(nc, f"STREAM.INFO.{stream}"))["config"].get("allow_direct", False)
    after = 0
    while True:
        query = {"seq": after + 1, "next_by_subj": ">"}
        if direct:
            page = (await api.listed(nc, stream, {**query, "batch": 500})).messages
        else:
            found = await api.from_leader(nc, stream, query)
            page = [found] if found else []
        if not page:
            return
        for message in page:
            yield message
        after = page[-1].sequence


def tombstone(data: bytes) -> bool:
    try:
        return isinstance(codec.decode(data), AccountErased)
    except (codec.UnknownFact, msgspec.MsgspecError):
        return False
