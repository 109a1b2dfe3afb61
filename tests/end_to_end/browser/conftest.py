"""One installation, one mailbox and one Chromium for all browser tests; each test has a browser profile of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.end_to_end.browser.letters import letters, mailbox
from tests.support.browser import Watched, chromium_running, watched_page
from tests.support.dovecot import Dovecot, User
from tests.support.installation import PASSWORD, Person, Product, connect, product, state
from tests.support.picture_server import PictureServer, picture_server
from tests.support.stand_in_product import PEOPLE, enrolled, installation_in, providers

Open = Callable[..., Watched]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshot", type=Path, metavar="PATH", help="make the picture for the README here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A picture is made only when it is asked for, since each differs a little."""
    if config.getoption("--screenshot", default=None) is None:
        unasked = [item for item in items if "screenshot" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=unasked)
        items[:] = [item for item in items if item not in unasked]


@pytest.fixture
def screenshot(pytestconfig: pytest.Config) -> Path:
    path: Path = pytestconfig.getoption("--screenshot")
    return path.absolute()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with chromium_running() as browser:
        yield browser


@pytest.fixture(scope="session")
def dovecot_of_providers() -> Iterator[Dovecot]:
    """The mail of whoever is with one of the stand-in providers."""
    with enrolled() as server:
        for user in PEOPLE:
            server.load(user.name, letters(user.name))
        yield server


@pytest.fixture(scope="session")
def installed(dovecot_of_providers: Dovecot) -> Iterator[Product]:
    """In an Internet of its own: no test asks the real one."""
    with providers(dovecot_of_providers) as map_, product(installation_in(map_)) as running:
        yield running


@pytest.fixture(scope="session")
def pictures() -> Iterator[PictureServer]:
    with picture_server() as server:
        yield server


@pytest.fixture(scope="session")
def reader(installed: Product, dovecot: Dovecot, pictures: PictureServer) -> Person:
    """Somebody whose mailbox holds one of each thing, and stays as it is."""
    return connected(installed, dovecot, dovecot.user(), "reader", pictures.picture)


@pytest.fixture(scope="session")
def busy_user(dovecot: Dovecot) -> User:
    """Who gets new mail."""
    return dovecot.user()


@pytest.fixture(scope="session")
def busy(installed: Product, dovecot: Dovecot, busy_user: User, pictures: PictureServer) -> Person:
    """Somebody whose mailbox changes while it is looked at."""
    return connected(installed, dovecot, busy_user, "busy", pictures.picture)


def connected(installed: Product, dovecot: Dovecot, user: User, handle: str, picture: str) -> Person:
    """Signed up, with all of the mailbox there."""
    dovecot.load(user.name, mailbox(picture))
    person = installed.register(handle)
    connect(person, dovecot, user)
    installed.until(lambda: state(person)["state"] == "live", seconds=40)
    return person


@pytest.fixture
def opened(chromium: Browser, installed: Product) -> Iterator[Open]:
    """Opens pages; in the end none may have complained of anything."""
    with ExitStack() as pages:
        yield lambda **options: pages.enter_context(watched_page(chromium, installed.address, **options))


@pytest.fixture
def page(opened: Open) -> Page:
    return opened().page


def sign_in(page: Page, handle: str) -> None:
    page.goto("/login")
    page.get_by_label("Handle").fill(handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("grid").wait_for()
