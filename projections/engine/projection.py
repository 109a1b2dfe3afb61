"""A projection: a name, a version, a schema, and what each fact does to its rows."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from typing import Any, TypeVar

from contracts.facts import Fact
from projections.engine.log import Recorded
from projections.engine.transaction import Transaction

F = TypeVar("F", bound=Fact)
Fold = Callable[[Sequence[Recorded[Any]], Transaction], Awaitable[None]]


class Projection:
    """`schema`: DDL of its tables, unqualified; `indexes`: made after a rebuild's load; both run with its own search path.

    Every table has a `user_id` column. `documents`: the fold asks for the documents of arriving messages; `texts`: with
    their text. `patience`: seconds for which facts may wait to be folded together with the next ones, where nobody waits to
    see them. `grants`: what processes other than the readers may see, run with its search path, and again at every start. A
    change of what rows come out is a new `version`; the engine then wants a rebuild.
    """

    def __init__(
        self,
        name: str,
        *,
        version: int,
        schema: str,
        indexes: str = "",
        grants: str = "",
        documents: bool = False,
        texts: bool = False,
        patience: float = 0,
    ) -> None:
        self.name = name
        self.version = version
        self.schema = schema
        self.indexes = indexes
        self.grants = grants
        self.documents = documents or texts
        self.texts = texts
        self.patience = patience
        self._folds: dict[type[Fact], Fold] = {}

    def on(self, fact: type[F]) -> Callable[[Callable[[Sequence[Recorded[F]], Transaction], Awaitable[None]]], Any]:
        """Register what folds a run: consecutive facts of one kind and one user, in log order, at least one.

        Where runs are cut depends on batches, so a fold must give the same rows wherever they are.
        """

        def register(fold: Callable[[Sequence[Recorded[F]], Transaction], Awaitable[None]]) -> Any:
            self._folds[fact] = fold
            return fold

        return register

    def folds(self, fact: Fact) -> bool:
        return type(fact) in self._folds

    async def fold(self, facts: Sequence[Recorded[Fact]], tx: Transaction) -> None:
        """Fold facts of one user; those that the projection does not know change nothing and cut no run."""
        known = [recorded for recorded in facts if type(recorded.fact) in self._folds]
        for kind, run in groupby(known, key=lambda recorded: type(recorded.fact)):
            await self._folds[kind](list(run), tx)
