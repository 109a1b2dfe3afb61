"""The fold's statements, and how rows are handed to them: a column an argument, for `unnest`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

from projections import sql

apply = sql.Statements("projections.mail", "apply.sql")

MOST = 2_000  # things a statement is told of at once

T = TypeVar("T")


def columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Rows turned into columns; `width` for when there are none."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


def array(texts: Iterable[object]) -> str:
    """An array as Postgres writes it: `unnest` would take a list of lists apart."""
    quoted = (str(text).replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def plain(values: Iterable[int | UUID]) -> str:
    """Such an array of what needs no quotes."""
    return "{" + ",".join(map(str, values)) + "}"


def pieces(things: Iterable[T], size: int = MOST) -> Iterator[list[T]]:
    """So many at a time, each thing once, in an order that does not depend on where they came from."""
    distinct = sorted(set(things))  # type: ignore[type-var]  # ids, all of them
    for start in range(0, len(distinct), size):
        yield distinct[start : start + size]
