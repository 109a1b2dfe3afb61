"""Real IMAP servers for tests: one Dovecot for the whole run, or one that a test may kill."""

from collections.abc import Iterator

import pytest

from tests.support.dovecot import Dovecot, User
from tests.support.pymap_server import PymapServer


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """Shared by all tests: take a `mail_user`, never restart it."""
    with Dovecot() as server:
        yield server


@pytest.fixture
def dovecot_of_its_own() -> Iterator[Dovecot]:
    """A test's own, to stop, kill and start again."""
    with Dovecot() as server:
        yield server


@pytest.fixture
def mail_user(dovecot: Dovecot) -> User:
    """A new, empty user of the shared Dovecot."""
    return dovecot.user()


@pytest.fixture
def pymap_server() -> Iterator[PymapServer]:
    """Fresh for each test."""
    with PymapServer() as server:
        yield server
