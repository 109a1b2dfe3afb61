"""Who really asks, when a proxy of the operator's stands before us: `X-Forwarded-*` of those networks and of nobody else."""

import ipaddress
from collections.abc import Iterable
from typing import cast

from litestar.types import ASGIApp, Receive, Scope, Send

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_SECURE = {"http": "https", "ws": "wss"}
_PLAIN = {secure: plain for plain, secure in _SECURE.items()}


class BehindProxies:
    """Around the application: what comes from a trusted proxy looks as if its client had come by itself."""

    def __init__(self, app: ASGIApp, trusted: Iterable[str]) -> None:
        self._app = app
        self._trusted = tuple(ipaddress.ip_network(network) for network in trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        if isinstance(client, tuple | list) and self._trusts(address(client[0])):
            scope = self._forwarded(scope)
        await self._app(scope, receive, send)

    def _forwarded(self, scope: Scope) -> Scope:
        headers = [(name, value) for name, value in scope["headers"] if name != b"x-forwarded-host"]
        hosts, protocols = _values(scope, b"x-forwarded-host"), _values(scope, b"x-forwarded-proto")
        if hosts:
            headers = [(name, value) for name, value in headers if name != b"host"]
            headers.append((b"host", hosts[-1].encode("latin-1")))
        seen = {**scope, "headers": headers, "client": (self._asking(scope), 0)}
        if protocols and protocols[-1].lower() in {"http", "https"}:
            secure = protocols[-1].lower() == "https"
            seen["scheme"] = (_SECURE if secure else _PLAIN).get(scope["scheme"], scope["scheme"])
        return cast("Scope", seen)

    def _asking(self, scope: Scope) -> str:
        """The right-most address that is no proxy of ours: each proxy adds whom it saw, and all before that is hearsay."""
        client = cast("tuple[str, int]", scope["client"])
        asking = str(client[0])
        for hop in reversed(_values(scope, b"x-forwarded-for")):
            seen = address(hop)
            if seen is None:
                break
            asking = str(seen)
            if not self._trusts(seen):
                break
        return asking

    def _trusts(self, seen: Address | None) -> bool:
        return seen is not None and any(seen in network for network in self._trusted)


def address(host: str) -> Address | None:
    """An IPv4 address in an IPv6 one (RFC 4291 §2.5.5.2) is that IPv4 address; None for what is none."""
    try:
        found = ipaddress.ip_address(host.strip())
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, ipaddress.IPv6Address) else found


def _values(scope: Scope, header: bytes) -> list[str]:
    """In the order in which they were added, over all lines of the header."""
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == header]
    return [value.strip() for value in ",".join(lines).split(",") if value.strip()]
