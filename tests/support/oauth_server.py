"""A provider's OAuth server over sockets (RFC 6749, RFC 7636): tokens are JSON Web Tokens that the test Dovecot believes.

A refresh token is good once. It misbehaves as it is told: loses answers, is silent, busy, broken, or waits for a sign.
"""

import asyncio
import base64
import hmac
import json
import secrets
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Literal
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from tests.support import secrecy
from tests.support.dovecot import OAUTH_SECRET
from tests.support.stand_ins import Internet

CLIENT, SECRET = "webmail-client", "the client's secret"

Trouble = Literal["busy", "broken", "broken_before", "lost", "silent", "garbage", "moved", "unknown_client"]


def access_token(user: str, secret: bytes = OAUTH_SECRET, lives: int = 600) -> str:
    """A JSON Web Token (RFC 7519) of its own."""
    now = int(time.time())
    claims = {"sub": user, "iat": now, "exp": now + lives, "jti": secrets.token_hex(8)}
    signed = f"{_part(json.dumps({'alg': 'HS256', 'typ': 'JWT'}).encode())}.{_part(json.dumps(claims).encode())}"
    return f"{signed}.{_part(hmac.digest(secret, signed.encode(), 'sha256'))}"


class OAuthServer:
    """`asked`: the token endpoint's questions in order. `rotations`: refresh tokens that were used up."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.rotations = 0
        self.lives = 3600
        self.trouble: Trouble | None = None
        self.retry_after = ""
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.given: list[str] = []
        """Every secret that was ever told."""
        self._codes: dict[str, tuple[str, str, str]] = {}
        self._grants: dict[str, str] = {}

    async def start(self, net: Internet, host: str) -> None:
        """As that host's HTTPS."""
        await net.serve(host, 443, self._talk, net.authority.server([host]))

    def consent(self, page: str, user: str) -> str:
        """What the provider's page does when somebody agrees there: where the browser is sent back to."""
        asked = dict(parse_qsl(urlsplit(page).query))
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT, "code", "S256")
        code = secrets.token_urlsafe(16)
        self._gave(code)
        self._codes[code] = (asked["code_challenge"], asked["redirect_uri"], user)
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def grant(self, user: str) -> str:
        """A refresh token of somebody who has agreed."""
        token = secrets.token_urlsafe(24)
        self._gave(token)
        self._grants[token] = user
        return token

    def revoke(self, user: str) -> None:
        """The owner has changed their mind."""
        self._grants = {token: whose for token, whose in self._grants.items() if whose != user}

    def _gave(self, secret: str) -> None:
        self.given.append(secret)
        secrecy.know(secret)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:"))
        form = {name: values[0] for name, values in parse_qs((await reader.readexactly(length)).decode()).items()}
        self.asked.append(form)
        status, said = self._before() or self._answer(form)
        await self.may_answer.wait()
        if self.trouble == "silent":
            await reader.read()  # until they give up
        elif self.trouble != "lost":
            status, said = self._after(status, said)
            more = "Location: https://elsewhere.example/\r\n" if status.startswith("302") else ""
            more += f"Retry-After: {self.retry_after}\r\n" if self.retry_after else ""
            writer.write(f"HTTP/1.1 {status}\r\n{more}Content-Length: {len(said)}\r\n\r\n".encode() + said)
            await writer.drain()

    def _before(self) -> tuple[str, bytes] | None:
        """Nothing has happened to anything."""
        match self.trouble:
            case "busy":
                return "429 Too Many Requests", _error("invalid_grant")
            case "broken_before":
                return "503 Service Unavailable", b"<html>down</html>"
            case "unknown_client":
                return "401 Unauthorized", _error("invalid_client")
        return None

    def _after(self, status: str, said: bytes) -> tuple[str, bytes]:
        """It is done, and is told badly."""
        match self.trouble:
            case "broken":
                return "500 Internal Server Error", b"oops"
            case "garbage":
                return "200 OK", said[: len(said) // 2]
            case "moved":
                return "302 Found", b""
        return status, said

    def _answer(self, form: Mapping[str, str]) -> tuple[str, bytes]:
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT, SECRET):
            return "401 Unauthorized", _error("invalid_client")
        user = self._by_code(form) if form["grant_type"] == "authorization_code" else self._by_refresh(form)
        if user is None:
            return "400 Bad Request", _error("invalid_grant")
        told = {
            "token_type": "Bearer",
            "expires_in": self.lives,
            "access_token": access_token(user, lives=self.lives),
            "refresh_token": self.grant(user),
        }
        self._gave(str(told["access_token"]))
        return "200 OK", json.dumps(told).encode()

    def _by_code(self, form: Mapping[str, str]) -> str | None:
        challenge, redirect_uri, user = self._codes.pop(form["code"], ("", "", ""))
        proven = _part(sha256(form["code_verifier"].encode()).digest()) == challenge
        return user if proven and form["redirect_uri"] == redirect_uri else None

    def _by_refresh(self, form: Mapping[str, str]) -> str | None:
        user = self._grants.pop(form["refresh_token"], None)
        self.rotations += user is not None
        return user


def _part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _error(code: str) -> bytes:
    return json.dumps({"error": code}).encode()
