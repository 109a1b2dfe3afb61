"""What a provider's token endpoint answers, and what each answer means for the grant."""

import time
from email.utils import formatdate

import pytest

from services import http
from services.config import OAuthName
from services.oauth import pkce
from services.oauth.errors import GrantOver, NotNow, OAuthError, Uncertain
from services.oauth.providers import PROVIDERS
from services.oauth.tokens import seconds
from services.vault import Tokens
from tests.services.oauth.conftest import HOST, Speak
from tests.support.oauth_server import CLIENT, OAuthServer, Trouble
from tests.support.stand_ins import Internet

BACK = "https://mail.test/api/accounts/oauth/callback"
ANNA = "anna@example.test"


def tokens(server: OAuthServer) -> Tokens:
    return Tokens(provider="microsoft", refresh_token=server.grant(ANNA), access_token="old", expires_at=0)


async def fate(speak: Speak, server: OAuthServer, name: OAuthName = "microsoft") -> type[OAuthError]:
    with pytest.raises(OAuthError) as caught:
        await speak(name).refresh(tokens(server))
    assert not [secret for secret in server.given if secret in str(caught.value)]
    return type(caught.value)


async def test_a_code_is_exchanged_by_who_asked_for_it(server: OAuthServer, speak: Speak) -> None:
    proof = pkce.verifier()
    page = pkce.sign_in_url(
        PROVIDERS["microsoft"], client_id=CLIENT, redirect_uri=BACK, state="s", proof=proof, email=ANNA
    )
    assert proof not in page
    code = server.consent(page, ANNA).partition("code=")[2].partition("&")[0]
    got = await speak().exchange(code=code, verifier=proof, redirect_uri=BACK)
    assert {got.refresh_token, got.access_token} <= set(server.given)
    assert 3500 < got.expires_at - time.time() <= 3600
    with pytest.raises(GrantOver):
        await speak().exchange(code=code, verifier=proof, redirect_uri=BACK)


async def test_a_stolen_code_is_worth_nothing(server: OAuthServer, speak: Speak) -> None:
    proof = pkce.verifier()
    page = pkce.sign_in_url(
        PROVIDERS["google"], client_id=CLIENT, redirect_uri=BACK, state="s", proof=proof, email=ANNA
    )
    code = server.consent(page, ANNA).partition("code=")[2].partition("&")[0]
    with pytest.raises(GrantOver):
        await speak().exchange(code=code, verifier=pkce.verifier(), redirect_uri=BACK)


def test_the_challenge_is_that_of_the_standard() -> None:
    """RFC 7636 appendix B."""
    assert (
        pkce.challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )


async def test_each_refresh_gives_another_refresh_token(server: OAuthServer, speak: Speak) -> None:
    first = tokens(server)
    second = await speak().refresh(first)
    third = await speak().refresh(second)
    assert len({first.refresh_token, second.refresh_token, third.refresh_token}) == 3
    with pytest.raises(GrantOver):
        await speak().refresh(first)


async def test_a_grant_that_its_owner_took_back_is_over(server: OAuthServer, speak: Speak) -> None:
    old = tokens(server)
    server.revoke(ANNA)
    with pytest.raises(GrantOver):
        await speak().refresh(old)


@pytest.mark.parametrize(
    ("trouble", "name", "meaning"),
    [
        ("busy", "microsoft", NotNow),
        ("unknown_client", "microsoft", NotNow),
        ("broken", "google", NotNow),
        ("broken_before", "google", NotNow),
        ("broken", "microsoft", Uncertain),
        ("broken_before", "microsoft", Uncertain),
        ("lost", "microsoft", Uncertain),
        ("lost", "google", Uncertain),
        ("garbage", "microsoft", Uncertain),
        ("moved", "microsoft", Uncertain),
    ],
)
async def test_trouble_means_no_more_than_it_says(
    server: OAuthServer, speak: Speak, trouble: Trouble, name: OAuthName, meaning: type[OAuthError]
) -> None:
    server.trouble = trouble
    assert await fate(speak, server, name) is meaning
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("said", "wants"),
    [("120", 120), ("", 0), ("-1", 0), ("soon", 0), ("1.5", 0), ("\u0661", 0), ("Fri, 31 Dec 1999 23:59:59 GMT", 0)],
)
def test_how_long_a_provider_wants_to_be_left_alone(said: str, wants: float) -> None:
    assert seconds(said) == wants


def test_a_provider_may_name_the_time_at_which_to_come_back() -> None:
    """RFC 9110 §10.2.3: an HTTP-date."""
    at = formatdate(time.time() + 300, usegmt=True)
    assert 290 < seconds(at) <= 300


async def test_silence_is_uncertain(server: OAuthServer, speak: Speak, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "POST_SECONDS", 0.5)
    server.trouble = "silent"
    assert await fate(speak, server) is Uncertain
    assert server.rotations == 1


async def test_whom_nobody_reached_is_asked_later(server: OAuthServer, internet: Internet, speak: Speak) -> None:
    internet.host("closed.example", {})
    for host in ("nowhere.example", "closed.example"):
        with pytest.raises(NotNow):
            await speak(host=host).refresh(tokens(server))
    assert server.asked == []


async def test_who_can_not_prove_to_be_the_provider_hears_nothing(
    server: OAuthServer, internet: Internet, speak: Speak
) -> None:
    await internet.serve("other.example", 443, server._talk, internet.authority.server(["another.example"]))
    with pytest.raises(NotNow, match="tls_failed"):
        await speak(host="other.example").refresh(tokens(server))
    assert server.asked == []


async def test_a_wrong_secret_of_ours_costs_nobody_their_account(server: OAuthServer, speak: Speak) -> None:
    old = tokens(server)
    with pytest.raises(NotNow, match="invalid_client"):
        await speak(secret="wrong").refresh(old)
    assert (await speak(host=HOST).refresh(old)).access_token


def test_nothing_of_tokens_shows(server: OAuthServer) -> None:
    held = tokens(server)
    assert held.refresh_token not in f"{held!r}{held}"
