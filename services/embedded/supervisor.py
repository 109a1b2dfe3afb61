"""Keeps children running: starts again what ends, ever more slowly, and stops all of them in a bounded time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.embedded.child import Child

FIRST_DELAY = 0.5
LONGEST_DELAY = 30.0
STEADY = 60.0
"""Seconds after which a child counts as well again, so that its next end is followed by a quick start."""


class Server(Protocol):
    """What is supervised: a child with its own way of starting."""

    @property
    def child(self) -> Child: ...

    def start(self) -> None: ...


@dataclass(frozen=True)
class Worker:
    """A child that needs nothing before or after its start."""

    child: Child

    def start(self) -> None:
        self.child.start()


class Supervisor:
    """Must be used from the main thread: children end with the thread that started them."""

    def __init__(self, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._report = report
        self._clock = clock
        self._watched: list[_Watched] = []

    def run(self, server: Server) -> None:
        """Start it now, and again whenever it ends."""
        server.start()
        self._watched.append(_Watched(server, started=self._clock()))

    def look(self) -> None:
        """Start what has ended and has waited long enough; call it often."""
        for watched in self._watched:
            if watched.server.child.running:
                continue
            if watched.due is None:
                self._note_the_end(watched)
            elif self._clock() >= watched.due:
                watched.due = None
                watched.started = self._clock()
                watched.server.start()

    def stop(self, *, seconds: float) -> None:
        """Ask all to end at the same time, in the end kill those that have not."""
        children = [watched.server.child for watched in self._watched]
        self._watched = []
        stop_all(children, seconds=seconds)

    def _note_the_end(self, watched: "_Watched") -> None:
        child = watched.server.child
        watched.ends = 1 if self._clock() - watched.started > STEADY else watched.ends + 1
        delay = min(FIRST_DELAY * 2 ** (watched.ends - 1), LONGEST_DELAY)
        watched.due = self._clock() + delay
        status = child.process.returncode if child.process else "?"
        self._report(
            f"{child.name} ended (status {status}) and starts again in {delay:g} s; it said:\n{child.last_words()}"
        )


@dataclass
class _Watched:
    server: Server
    started: float
    ends: int = 0
    due: float | None = None


def stop_all(children: Sequence[Child], *, seconds: float) -> None:
    for child in children:
        child.ask_to_stop()
    deadline = time.monotonic() + seconds
    for child in children:
        child.stop(seconds=max(0.0, deadline - time.monotonic()))
