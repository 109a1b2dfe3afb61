"""Typed settings of an account, checked before anything is tried with them."""

import ipaddress
import re

import msgspec

from services.gateway.accounts.structs import AccountChange, NewAccount, Server
from services.gateway.errors import Refused
from services.state.accounts import Endpoint

_EMAIL = re.compile(
    r"[^@\s\x00-\x1f\x7f]{1,64}@[^@\s\x00-\x1f\x7f]{1,255}"
)  # RFC 5321 §4.5.3.1, mail-grade enough to log in
_HOST = re.compile(r"(?=.{1,253}\.?$)[^\W_]([\w-]{0,62})(\.[^\W_][\w-]{0,62})*\.?")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_LONGEST = 1000


def check(wish: NewAccount) -> None:
    """Raises Refused, naming the field."""
    check_email(wish.email)
    check_look(wish.display_name, wish.color)
    check_servers(wish.imap, wish.smtp)


def check_change(wish: AccountChange) -> None:
    """Raises Refused, naming the field."""
    check_look(wish.display_name or "", None if wish.color is msgspec.UNSET else wish.color)


def check_email(email: str) -> None:
    """Raises Refused."""
    if not _EMAIL.fullmatch(email):
        raise _wrong("email", "Write the whole address, such as anna@example.org.")


def check_servers(imap: Server, smtp: Server | None) -> None:
    """Raises Refused, naming the field."""
    for name, server in (("imap", imap), ("smtp", smtp)):
        if server is not None:
            _check_server(name, server)


def endpoint(server: Server) -> Endpoint:
    """Without the password."""
    return Endpoint(host=server.host.lower(), port=server.port, tls=server.tls, username=server.username)


def check_look(display_name: str, color: str | None) -> None:
    if len(display_name) > _LONGEST or "\0" in display_name:
        raise _wrong("display_name", "Use a shorter name.")
    if color is not None and not _COLOR.fullmatch(color):
        raise _wrong("color", "Write a colour as #rrggbb.")


def _check_server(name: str, server: Server) -> None:
    address = _address(server.host)
    if address is None and not _HOST.fullmatch(server.host):
        raise _wrong(f"{name}.host", "Write the server's name, such as imap.example.org.")
    if not 1 <= server.port <= 65535:
        raise _wrong(f"{name}.port", "A port is a number from 1 to 65535.")
    local = server.host.lower() == "localhost" or (address is not None and address.is_loopback)
    if server.tls == "none" and not local:
        raise _wrong(f"{name}.tls", "Without TLS anyone on the way reads your password. Choose ssl or starttls.")
    for field, value in (("username", server.username), ("password", server.password)):
        if not value or len(value) > _LONGEST or "\0" in value:
            raise _wrong(f"{name}.{field}", "It is missing or too long.")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _wrong(field: str, advice: str) -> Refused:
    return Refused(400, "invalid_account", f"{field}: {advice}")
