"""Who asks is the peer, unless the peer is a proxy that the operator trusts: then whom that proxy saw, and no hearsay."""

from typing import Any

import httpx
import pytest
from litestar import Litestar

from services.config import ConfigurationError, settings
from services.gateway.proxies import BehindProxies

TRUSTED = ("10.0.0.0/8", "2001:db8:aaaa::/48", "127.0.0.1/32")


async def seen(scope: dict[str, Any], trusted: tuple[str, ...] = TRUSTED) -> dict[str, Any]:
    """What the application is given."""
    given: dict[str, Any] = {}

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        given.update(scope)

    await BehindProxies(app, trusted)(scope, None, None)  # type: ignore[arg-type]
    return given


def scope(peer: str, *headers: tuple[str, str], scheme: str = "http") -> dict[str, Any]:
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
    kind = "websocket" if scheme.startswith("ws") else "http"
    return {"type": kind, "client": (peer, 4711), "scheme": scheme, "headers": [(b"host", b"inside:8080"), *raw]}


@pytest.mark.parametrize(
    ("peer", "said", "asking"),
    [
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.1.2.3", ["198.51.100.7"], "198.51.100.7"),
        ("::ffff:10.1.2.3", ["198.51.100.7"], "198.51.100.7"),
        ("2001:db8:aaaa::1", ["2001:db8:1::7"], "2001:db8:1::7"),
        ("10.1.2.3", ["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3", ["203.0.113.1", "198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3", ["203.0.113.1, 198.51.100.7, 10.9.9.9 "], "198.51.100.7"),
        ("10.1.2.3", ["10.7.7.7, 10.9.9.9"], "10.7.7.7"),
        ("10.1.2.3", ["198.51.100.7, unknown"], "10.1.2.3"),
        ("10.1.2.3", ["198.51.100.7, <script>, 10.9.9.9"], "10.9.9.9"),
        ("10.1.2.3", ["::ffff:198.51.100.7"], "198.51.100.7"),
        ("10.1.2.3", [""], "10.1.2.3"),
        ("10.1.2.3", [], "10.1.2.3"),
    ],
)
async def test_the_right_most_address_that_is_no_proxy_of_ours_counts(peer: str, said: list[str], asking: str) -> None:
    given = await seen(scope(peer, *(("X-Forwarded-For", line) for line in said)))
    assert given["client"][0] == asking


@pytest.mark.parametrize(
    ("scheme", "said", "expected"),
    [
        ("http", "https", "https"),
        ("http", "http, HTTPS", "https"),
        ("https", "http", "http"),
        ("ws", "https", "wss"),
        ("http", "gopher", "http"),
    ],
)
async def test_the_scheme_is_what_the_proxy_was_asked_by(scheme: str, said: str, expected: str) -> None:
    asked = scope("10.1.2.3", ("X-Forwarded-Proto", said), scheme=scheme)
    assert (await seen(asked))["scheme"] == expected
    asked["client"] = ("192.0.2.1", 1)
    assert (await seen(asked))["scheme"] == scheme


async def test_the_host_is_the_one_that_the_browser_asked_for() -> None:
    asked = scope("10.1.2.3", ("X-Forwarded-Host", "evil.test, mail.test"))
    assert dict((await seen(asked))["headers"])[b"host"] == b"mail.test"
    asked["client"] = ("192.0.2.1", 1)
    assert dict((await seen(asked))["headers"])[b"host"] == b"inside:8080"


async def test_by_default_nobody_is_believed() -> None:
    given = await seen(scope("127.0.0.1", ("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https")), ())
    assert (given["client"][0], given["scheme"]) == ("127.0.0.1", "http")


async def test_what_has_no_peer_is_let_through() -> None:
    assert await seen({"type": "lifespan"}) == {"type": "lifespan"}


async def test_attempts_are_counted_against_whom_the_proxy_saw(application: Litestar) -> None:
    """And not against the proxy, for whom everybody would be locked out; nor by what the attacker makes up."""
    proxied = BehindProxies(application, TRUSTED)
    transport = httpx.ASGITransport(proxied, client=("10.1.2.3", 1))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="https://mail.test") as client:
        for n in range(10):
            said = {"X-Forwarded-For": f"192.0.2.{n}, 198.51.100.7"}
            answer = await client.post("/api/auth/login", json={"handle": f"who-{n}", "password": "x"}, headers=said)
            assert answer.status_code == 401
        for address, status in (("198.51.100.7", 429), ("198.51.100.8", 401)):
            said = {"X-Forwarded-For": f"192.0.2.99, {address}"}
            answer = await client.post("/api/auth/login", json={"handle": "anna", "password": "x"}, headers=said)
            assert answer.status_code == status


@pytest.mark.parametrize("value", ["everybody", "10.0.0.1/8", "10.0.0.0/33", "*"])
def test_what_is_no_network_is_refused_at_the_start(value: str) -> None:
    environ = {"DATABASE_URL": "postgresql://x", "NATS_URL": "nats://x", "TRUSTED_PROXIES": value}
    with pytest.raises(ConfigurationError, match="TRUSTED_PROXIES"):
        settings(environ)


def test_networks_are_given_with_commas_or_spaces() -> None:
    environ = {"DATABASE_URL": "postgresql://x", "NATS_URL": "nats://x", "TRUSTED_PROXIES": "127.0.0.1, ::1 10.0.0.0/8"}
    assert settings(environ).trusted_proxies == ("127.0.0.1/32", "::1/128", "10.0.0.0/8")
