"""The token endpoint: a code or a refresh token for an access token (RFC 6749 §4.1.3, §6). Each question is asked once."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import msgspec

from services.config import OAuthClient
from services.http import Answer, Http, HttpError
from services.oauth.errors import GrantOver, NotNow, Uncertain
from services.oauth.providers import Provider
from services.vault import Tokens

LIFE = 3600
"""Seconds for an access token of which nothing else is said."""

SHORTEST, LONGEST = 60, 86_400


class Endpoint(NamedTuple):
    """A provider as it knows us."""

    http: Http
    provider: Provider
    client: OAuthClient

    async def exchange(self, *, code: str, verifier: str, redirect_uri: str) -> Tokens:
        """The first tokens. Raises OAuthError; a code is good for one try."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": redirect_uri,
        }
        tokens = await self._ask(form, "")
        if not tokens.refresh_token:
            raise GrantOver("the provider gave no refresh token")
        return tokens

    async def refresh(self, tokens: Tokens) -> Tokens:
        """The next ones. Raises OAuthError; after `Uncertain` these must not be used again."""
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        return await self._ask(form, tokens.refresh_token)

    async def _ask(self, form: Mapping[str, str], known: str) -> Tokens:
        who = {"client_id": self.client.id, "client_secret": self.client.secret}
        try:
            answer = await self.http.post(self.provider.token_url, {**form, **who})
        except HttpError as error:
            if error.sent:
                raise Uncertain(f"the answer was lost: {error.code}") from None
            raise NotNow(f"not reached: {error.code}") from None
        if answer.status != 200:
            raise self._refusal(answer)
        return self._tokens(answer, known)

    def _refusal(self, answer: Answer) -> Exception:
        """A server's own trouble may have come after a token that rotates was used up."""
        if answer.status >= 500 and self.provider.rotates:
            return Uncertain(f"the server failed: {answer.status}")
        try:
            code = msgspec.json.decode(answer.body, type=_Refusal).error[:60]
        except msgspec.MsgspecError:
            code = ""
        if code == "invalid_grant" and 400 <= answer.status < 500 and answer.status != 429:
            return GrantOver(code)
        return NotNow(f"refused: {answer.status} {code}".strip(), seconds(answer.retry_after))

    def _tokens(self, answer: Answer, known: str) -> Tokens:
        try:
            given = msgspec.json.decode(answer.body, type=_Given)
        except msgspec.MsgspecError:
            raise Uncertain("the answer makes no sense") from None
        return Tokens(
            provider=self.provider.name,
            refresh_token=given.refresh_token or known,
            access_token=given.access_token,
            expires_at=time.time() + min(max(given.expires_in, SHORTEST), LONGEST),
        )


def seconds(said: str) -> float:
    """What a Retry-After asks for (RFC 9110 §10.2.3): a number, or a date; 0 for anything else."""
    if said.isascii() and said.isdecimal():
        return float(said[:9])
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return 0
    return max(until.timestamp() - time.time(), 0) if until.tzinfo else 0


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    access_token: str
    refresh_token: str = ""
    expires_in: int = LIFE

    def __repr__(self) -> str:
        return "_Given(…)"


class _Refusal(msgspec.Struct, frozen=True, kw_only=True):
    error: str
