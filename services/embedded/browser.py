"""A signed-in client of the gateway's HTTP API, as a browser is one: two cookies, and one of them echoed in a header."""

import json
import urllib.error
import urllib.request
from email.message import Message
from typing import Any

from services.embedded.errors import EmbeddedError

CSRF_COOKIE = "__Host-csrf"


class ApiError(EmbeddedError):
    """The gateway said no; `code` is its word for why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"the gateway answered {status} {code}: {message}")
        self.status = status
        self.code = code


class Browser:
    """Speaks to one address and keeps what cookies it is given."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._cookies: dict[str, str] = {}

    @property
    def cookies(self) -> str:
        """As a header has them."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def get(self, path: str) -> Any:
        return self._json("GET", path, None)

    def post(self, path: str, body: object) -> Any:
        return self._json("POST", path, body)

    def page(self, path: str) -> str:
        return self._send("GET", path, None).decode()

    def _json(self, method: str, path: str, body: object) -> Any:
        answer = self._send(method, path, body)
        return json.loads(answer) if answer else None

    def _send(self, method: str, path: str, body: object) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - our own http address
            self.address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Origin": self.address},
        )
        if self._cookies:
            request.add_header("Cookie", self.cookies)
            request.add_header("X-CSRF", self._cookies.get(CSRF_COOKIE, ""))
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - the same
                self._keep(answer.headers)
                return bytes(answer.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _refused(refusal.code, refusal.read()) from None
        except OSError as error:
            raise EmbeddedError(f"the gateway can't be reached: {error}") from error

    def _keep(self, headers: Message) -> None:
        for line in headers.get_all("Set-Cookie") or []:
            name, _, value = line.partition(";")[0].partition("=")
            self._cookies[name.strip()] = value


def _refused(status: int, body: bytes) -> ApiError:
    try:
        error = json.loads(body)["error"]
        return ApiError(status, str(error["code"]), str(error["message"]))
    except (ValueError, KeyError, TypeError):
        return ApiError(status, "unknown", body[:200].decode(errors="replace"))
