"""Where a mail server is and who logs in there; a secret never shows in a repr."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from msgspec import Struct


class Endpoint(Struct, frozen=True, kw_only=True):
    """`ssl` is TLS from the first byte (RFC 8314 §3), `starttls` refuses to go on without it, `none` is for this machine."""

    host: str
    port: int
    tls: Literal["ssl", "starttls", "none"]


class Credentials(Struct, frozen=True, kw_only=True):
    """A password, or an OAuth 2.0 access token (RFC 6750), which then is the one used."""

    username: str
    password: str = ""
    access_token: str = ""

    def __repr__(self) -> str:
        return "Credentials(…)"


Entrance: TypeAlias = Credentials | Callable[[], Awaitable[Credentials]]
"""What is asked before each login gives what is good then: access tokens end sooner than accounts do. Raises ProviderError."""
