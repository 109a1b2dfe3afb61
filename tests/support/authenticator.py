"""A passkey's device in software (WebAuthn §6): makes a key for a site and signs with it, or lies in one way or another."""

import json
import secrets
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


class Authenticator:
    """Holds one key. `counts`: whether its counter moves; many passkeys have none."""

    def __init__(self, origin: str, *, counts: bool = True) -> None:
        self.origin = origin
        self.flags = PRESENT | VERIFIED
        self.count = 1 if counts else 0
        self._counts = counts
        self._key = generate_private_key(SECP256R1())
        self.id = secrets.token_bytes(32)
        self.user = b""

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.create` gives, as its `toJSON` says it."""
        self.user = base64url_to_bytes(options["user"]["id"])
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + self._public_key()
        said = self._said(options["rp"]["id"], ATTESTED) + attested
        answer = {
            "clientDataJSON": self._client("webauthn.create", options["challenge"]),
            "attestationObject": cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": said}),
        }
        return self._credential(answer)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.get` gives."""
        self.count += self._counts
        said = self._said(options["rpId"], 0)
        client = self._client("webauthn.get", options["challenge"])
        signature = self._key.sign(said + sha256(client).digest(), ECDSA(SHA256()))
        answer = {"clientDataJSON": client, "authenticatorData": said, "signature": signature, "userHandle": self.user}
        return self._credential(answer)

    def _credential(self, answer: dict[str, bytes]) -> dict[str, Any]:
        name = bytes_to_base64url(self.id)
        response = {field: bytes_to_base64url(value) for field, value in answer.items()}
        return {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _said(self, site: str, flags: int) -> bytes:
        return sha256(site.encode()).digest() + bytes([self.flags | flags]) + self.count.to_bytes(4, "big")

    def _public_key(self) -> bytes:
        """COSE (RFC 9053 §7.1.1): EC2, ES256, P-256."""
        numbers = self._key.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
