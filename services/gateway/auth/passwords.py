"""Argon2id (§6.1), off the event loop, a few at a time: each takes 64 MiB and a good part of a second."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from projections.sql import text

LENGTH_MIN = 10
LENGTH_MAX = 256
AT_ONCE = 2

_hasher = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=4, type=Type.ID)

_COMMON = frozenset(text("services.gateway.auth", "common_passwords.txt").split())


class Passwords:
    """Makes and checks hashes; checking takes as long for a handle that nobody has."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2")
        self.nobodys = _hasher.hash("of nobody")

    async def hash(self, password: str) -> str:
        async with self._turn:
            return await asyncio.get_running_loop().run_in_executor(self._threads, _hasher.hash, password)

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """`None`: nobody has that handle; false, after the same work."""
        async with self._turn:
            matches = await asyncio.get_running_loop().run_in_executor(
                self._threads, _matches, password_hash or self.nobodys, password
            )
        return matches and password_hash is not None


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


def _matches(password_hash: str, password: str) -> bool:
    try:
        return _hasher.verify(password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
