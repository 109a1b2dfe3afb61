"""One installation, one mail server and one Chromium for all browser tests of a process; each test has a browser profile of its own."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.end_to_end.browser.letters import letter, letters, mailbox
from tests.support.browser import Watched, chromium_running, watched_page
from tests.support.dovecot import Dovecot, User
from tests.support.installation import Person, Product, connect, product, state
from tests.support.oauth_server import CLIENT, SECRET, OAuthServer
from tests.support.picture_server import PictureServer, picture_server
from tests.support.smtp_sink import Sink, sink_beside
from tests.support.stand_in_google import stand_for_google
from tests.support.stand_in_product import PEOPLE, enrolled, installation_in, providers

Open = Callable[..., Watched]
OLGA = User("olga@gmail.com", "never typed")
"""Who signs in at Google."""


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


@pytest.fixture
def alone() -> None:
    """Asked for by what measures: no other process of the run has a test under way meanwhile."""


@pytest.fixture(autouse=True)
def in_turn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whoever waits to be alone holds the door, so that nobody goes in before."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / "door").open("w") as door, (shared / "room").open("w") as room:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if "alone" in request.fixturenames else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with chromium_running() as browser:
        yield browser


@pytest.fixture(scope="session")
def dovecot_of_providers() -> Iterator[Dovecot]:
    """The mail of whoever is with one of the stand-in providers."""
    with enrolled(OLGA) as server:
        for user in PEOPLE:
            server.load(user.name, letters(user.name))
        server.load(OLGA.name, [letter("Hello Olga", key="olga", hours_ago=1)])
        yield server


@pytest.fixture(scope="session")
def google() -> OAuthServer:
    return OAuthServer()


@pytest.fixture(scope="session")
def links() -> Iterator[Sink]:
    """The submission server by which the installation sends its own mail."""
    with sink_beside() as one:
        yield one


@pytest.fixture(scope="session")
def installed(dovecot_of_providers: Dovecot, google: OAuthServer, links: Sink) -> Iterator[Product]:
    """In an Internet of its own: no test asks the real one. Google knows it, and it can send mail of its own."""
    settings = {
        "OAUTH_GOOGLE_CLIENT_ID": CLIENT,
        "OAUTH_GOOGLE_CLIENT_SECRET": SECRET,
        "SYSTEM_SMTP_URL": f"smtp://127.0.0.1:{links.port}",
        "SYSTEM_MAIL_FROM": "webmail@localhost",
    }
    with (
        providers(dovecot_of_providers, lambda net: stand_for_google(net, google, dovecot_of_providers.port)) as map_,
        product(installation_in(map_), **settings) as running,
    ):
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


def sign_in(page: Page, person: Person) -> None:
    """By the session that the person has, without the form, which has tests of its own; the list is there."""
    client = person.browser
    secure = client.address.replace("http://", "https://")  # as the name of a `__Host-` cookie demands
    page.context.add_cookies([{"name": name, "value": value, "url": secure} for name, value in client._cookies.items()])
    page.goto("/mail")
    page.get_by_role("grid").wait_for()
