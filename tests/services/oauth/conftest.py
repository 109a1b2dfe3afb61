"""A provider of our own in a small Internet, and installations' words with it."""

from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

from services.config import OAuthClient, OAuthName
from services.mail import dial
from services.oauth.providers import PROVIDERS
from services.oauth.tokens import Endpoint
from tests.support import stand_ins
from tests.support.oauth_server import CLIENT, SECRET, OAuthServer
from tests.support.stand_ins import Internet, within

HOST = "login.provider.example"

Speak = Callable[..., Endpoint]


@pytest.fixture
async def internet(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Internet]:
    """Empty; this test's connections lead into it."""
    async with stand_ins.internet() as made:
        monkeypatch.setattr(dial, "_connect", stand_ins.redirected(made.map))
        yield made


@pytest.fixture
async def server(internet: Internet) -> OAuthServer:
    made = OAuthServer()
    await made.start(internet, HOST)
    return made


@pytest.fixture
def speak(internet: Internet) -> Speak:
    """Makes a process' way to the server, with a provider's habits."""

    def to(name: OAuthName = "microsoft", host: str = HOST, secret: str = SECRET) -> Endpoint:
        provider = msgspec.structs.replace(PROVIDERS[name], token_url=f"https://{host}/token")
        return Endpoint(within(internet.map).http, provider, OAuthClient(id=CLIENT, secret=secret))

    return to
