"""What signing up and in sends and gives."""

from uuid import UUID

import msgspec

from services.state.settings import Language, Settings


class Registration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`tz`: the browser's IANA time zone."""

    localpart: str
    password: str
    tz: str
    language: Language

    def __repr__(self) -> str:
        return "Registration(…)"


class Login(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`handle`: the localpart or all of it."""

    handle: str
    password: str

    def __repr__(self) -> str:
        return "Login(…)"


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """The signed-in user."""

    user_id: UUID
    handle: str
    settings: Settings
