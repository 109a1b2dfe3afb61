"""Argon2id (§6.1), off the event loop, a few at a time and behind everything else: each takes 64 MiB and a good part of a second."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from projections.sql import text
from services.gateway.errors import Refused

LENGTH_MIN = 10
LENGTH_MAX = 256
AT_ONCE = 2

WAITING = 100
"""How many may wait for their turn; whoever comes then is sent away at once, and finds the page working meanwhile."""

HASHER = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=4, type=Type.ID)

_COMMON = frozenset(text("services.gateway.auth", "common_passwords.txt").split())
T = TypeVar("T")


class Passwords:
    """Makes and checks hashes; checking takes as long for a handle that nobody has."""

    def __init__(self, hasher: PasswordHasher = HASHER) -> None:
        self._hasher = hasher
        self._waiting = 0
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2", initializer=_give_way)
        self.nobodys = hasher.hash("of nobody")

    async def hash(self, password: str) -> str:
        return await self._in_turn(lambda: self._hasher.hash(password))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """`None`: nobody has that handle; false, after the same work. Raises Refused when too many wait."""
        matches = await self._in_turn(lambda: self._matches(password_hash or self.nobodys, password))
        return matches and password_hash is not None

    def _matches(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[[], T]) -> T:
        if self._waiting >= WAITING + AT_ONCE:
            raise Refused(503, "busy", "Too many people are signing in right now. Try again.", {"Retry-After": "10"})
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1


def weakness(password: str, localpart: str) -> str | None:
    """Why a password is too weak, as what to do about it; None when it will do."""
    if len(password) < LENGTH_MIN:
        return f"Use at least {LENGTH_MIN} characters; a few words are better than a few symbols."
    if len(password) > LENGTH_MAX:
        return f"Use at most {LENGTH_MAX} characters."
    plain = password.casefold()
    if plain in _COMMON or len(set(plain)) < 4 or plain.replace(localpart, "") in {"", "123", "1234"}:
        return "This password is among the first that anyone would try. Choose another."
    return None


def _give_way() -> None:
    """Requests go before hashing; the threads that Argon2 starts of its own inherit this."""
    if sys.platform == "linux":  # where a priority is a thread's
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
