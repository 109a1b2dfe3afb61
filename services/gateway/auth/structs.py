"""What signing up and in, and looking after it, sends and gives."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from services.state.settings import Language, Settings


class Secretive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A body that holds a secret shows nothing of itself."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


class Registration(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`tz`: the browser's IANA time zone. `invitation`: the token of an invitation's link, where one is needed."""

    localpart: str
    password: str
    tz: str
    language: Language
    invitation: str = ""


class Login(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`handle`: the localpart or all of it. `code`: of the authenticator app, or a recovery code; asked for when needed."""

    handle: str
    password: str
    code: str = ""


class Confirmation(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The password once more, before something that only its owner may do."""

    password: str


class BothFactors(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Password and code once more. `code`: of the authenticator app, or a recovery code."""

    password: str
    code: str


class Code(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the authenticator app shows."""

    code: str


class PasswordChange(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The old and the new one."""

    password: str
    new_password: str


class PasswordReset(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`token`: of the link."""

    token: str
    new_password: str


class ResetRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`handle`: the localpart or all of it."""

    handle: str


class RecoveryWish(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`email`: where links for a new password shall go."""

    password: str
    email: str


class Token(Secretive, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a link."""

    token: str


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """`email`: none until the link that was sent there is opened."""

    email: str | None


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """The signed-in user."""

    user_id: UUID
    handle: str
    settings: Settings
    is_admin: bool


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A browser that is signed in. `network`: where it was last used from; `current`: the asking one."""

    id: UUID
    user_agent: str
    network: str
    created_at: datetime
    last_seen_at: datetime
    current: bool


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """The last used first."""

    sessions: list[Session]


class SecondFactor(msgspec.Struct, frozen=True, kw_only=True):
    """Whether signing in asks for a code, and how many recovery codes are left."""

    enabled: bool
    recovery_codes_left: int


class TotpSetup(msgspec.Struct, frozen=True, kw_only=True):
    """For an authenticator app: `uri` as a picture in `qr` (SVG), or `secret` to type in. Nothing is asked for until it is enabled."""

    uri: str
    qr: str
    secret: str

    def __repr__(self) -> str:
        return "TotpSetup(…)"


class RecoveryCodes(msgspec.Struct, frozen=True, kw_only=True):
    """Each works once in place of a code; shown now and never again."""

    codes: list[str]

    def __repr__(self) -> str:
        return "RecoveryCodes(…)"


class Passkey(msgspec.Struct, frozen=True, kw_only=True):
    """One of the user's keys."""

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


class PasskeyList(msgspec.Struct, frozen=True, kw_only=True):
    """In the order in which they were added."""

    passkeys: list[Passkey]


class Ceremony(msgspec.Struct, frozen=True, kw_only=True):
    """What to give to `navigator.credentials`, in its own JSON (WebAuthn §5.1.8, §5.1.9)."""

    options: dict[str, Any]


class NewPasskey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`credential`: what `navigator.credentials.create` gave, as its `toJSON` says it."""

    name: str
    credential: dict[str, Any]


class PasskeyName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another name for it."""

    name: str


class PasskeyLogin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`credential`: what `navigator.credentials.get` gave, as its `toJSON` says it."""

    credential: dict[str, Any]


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """`path`: of the page by which one person may sign up, until `expires_at`."""

    path: str
    expires_at: datetime
