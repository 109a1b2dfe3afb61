"""Named statements in `.sql` files: `-- name: what_it_does` starts one, and its comment says what it is for."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

import asyncpg
import asyncpg.pool

if TYPE_CHECKING:  # asyncpg's classes are generic only in its stubs
    Connection = asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]
else:
    Connection = asyncpg.Connection
    Pool = asyncpg.Pool

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


class Statements:
    """The statements of one file as attributes."""

    def __init__(self, package: str, file: str) -> None:
        pieces = _NAME.split(text(package, file))
        self._statements: dict[str, str] = dict(
            zip(pieces[1::2], (piece.strip() for piece in pieces[2::2]), strict=True)
        )

    def __getattr__(self, name: str) -> str:
        try:
            return self._statements[name]
        except KeyError:
            raise AttributeError(f"no statement is named {name}") from None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._statements.items())


@asynccontextmanager
async def begun(pool: Pool, opening: str) -> AsyncIterator[tuple[Connection, str]]:
    """A transaction that `opening` begins, with whatever else it does first: one round trip; and its last command's status."""
    async with pool.acquire() as db:
        try:
            yield db, await db.execute(opening)
        except BaseException:
            await db.execute("ROLLBACK")
            raise
        await db.execute("COMMIT")


async def types(db: Connection) -> None:
    """For `init` of every pool that folds: a tsvector is bytes as Postgres receives it, a third of the cost of its text."""
    await db.set_type_codec("tsvector", schema="pg_catalog", format="binary", encoder=bytes, decoder=bytes)


def text(package: str, file: str) -> str:
    """A file that lies beside the code of a package."""
    return files(package).joinpath(file).read_text(encoding="utf-8")
