"""Providers for the servers that these tests talk to."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from services.mail.endpoint import Credentials, Endpoint
from services.mail.imap import ImapProvider, ImapWriter
from tests.support.dovecot import Dovecot, User

settings.register_profile("shared-cores", deadline=None)  # other tests run beside these
settings.load_profile("shared-cores")


class Remembered:
    """What a test has been told of a mailbox."""

    def __init__(self) -> None:
        self.messages: dict[int, frozenset[str]] = {}
        self.asked = 0

    async def flags(self, mailbox: str, uidvalidity: int) -> Mapping[int, frozenset[str]]:
        self.asked += 1
        return self.messages


Connect = Callable[..., ImapProvider]
ConnectWriter = Callable[..., ImapWriter]


@pytest.fixture
def known() -> Remembered:
    return Remembered()


@pytest.fixture
async def connect(tmp_path: Path, known: Remembered) -> AsyncIterator[Connect]:
    """Makes providers and closes them after the test."""
    made: list[ImapProvider] = []

    def provider(port: int, user: User, *, host: str = "127.0.0.1", tls: Any = "none", **more: Any) -> ImapProvider:
        endpoint = Endpoint(host=host, port=port, tls=tls)
        credentials = Credentials(username=user.name, password=user.password)
        made.append(ImapProvider(endpoint, credentials, **{"known": known, "spool": tmp_path, **more}))
        return made[-1]

    yield provider
    await asyncio.gather(*(provider.close() for provider in made))


@pytest.fixture
async def connect_writer() -> AsyncIterator[ConnectWriter]:
    """Makes writers and closes them after the test."""
    made: list[ImapWriter] = []

    def writer(port: int, user: User, *, host: str = "127.0.0.1", **more: Any) -> ImapWriter:
        endpoint = Endpoint(host=host, port=port, tls="none")
        made.append(ImapWriter(endpoint, Credentials(username=user.name, password=user.password), **more))
        return made[-1]

    yield writer
    await asyncio.gather(*(writer.close() for writer in made))


@pytest.fixture
def provider(connect: Connect, dovecot: Dovecot, mail_user: User) -> ImapProvider:
    """The test's own user on a server that can everything."""
    return connect(dovecot.port, mail_user)
