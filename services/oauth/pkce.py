"""The page where somebody lets us in, and the proof that whoever brings the code back is who asked for it (RFC 7636)."""

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from urllib.parse import urlencode

from services.oauth.providers import Provider


def verifier() -> str:
    """43 characters, 256 random bits (RFC 7636 §4.1)."""
    return secrets.token_urlsafe(32)


def challenge(of: str) -> str:
    """S256 (RFC 7636 §4.2)."""
    return urlsafe_b64encode(sha256(of.encode("ascii")).digest()).decode().rstrip("=")


def sign_in_url(provider: Provider, *, client_id: str, redirect_uri: str, state: str, proof: str, email: str) -> str:
    """Where the browser goes. `proof`: the verifier, of which only the challenge is told."""
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": redirect_uri,
        "scope": provider.scope,
        "state": state,
        "code_challenge": challenge(proof),
        "code_challenge_method": "S256",
        "login_hint": email,
        **provider.ask,
    }
    return f"{provider.sign_in_url}?{urlencode(asked)}"
