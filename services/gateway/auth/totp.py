"""Codes of an authenticator app (RFC 6238): the secret, its picture, and which half minute a code belongs to."""

import hmac
import io
from hashlib import sha256
from uuid import UUID

import pyotp
import segno

from services.vault import Vault

STEP = 30
"""Seconds that a code is shown; the one before and the one after are taken too, since clocks differ."""


def fresh() -> str:
    return pyotp.random_base32()


def uri(secret: str, handle: str, issuer: str) -> str:
    return pyotp.TOTP(secret).provisioning_uri(name=handle, issuer_name=issuer)


def picture(uri: str) -> str:
    """A QR code as an SVG document, dark on white in every theme, since cameras want it so."""
    drawn = io.BytesIO()
    segno.make(uri, error="m").save(drawn, kind="svg", scale=4, border=4, dark="#000", light="#fff", xmldecl=False)
    return drawn.getvalue().decode()


def step(secret: str, code: str, now: float) -> int | None:
    """Which step a code is of; None when it is of none that may be used now."""
    plain = code.replace(" ", "").encode()
    totp = pyotp.TOTP(secret, interval=STEP)
    current = int(now // STEP)
    found = [
        n for n in (current - 1, current, current + 1) if hmac.compare_digest(totp.generate_otp(n).encode(), plain)
    ]
    return found[-1] if found else None


def seal(identity_key: bytes, user_id: UUID, secret: str) -> bytes:
    """For the row of this user and no other."""
    return _vault(identity_key).keep(user_id, secret.encode())


def unseal(identity_key: bytes, user_id: UUID, sealed: bytes) -> str:
    return _vault(identity_key).open(user_id, sealed).decode()


def _vault(identity_key: bytes) -> Vault:
    return Vault(hmac.digest(identity_key, b"second factors", sha256))
