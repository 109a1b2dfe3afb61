"""Secrets at rest and on their way: the gateway seals to sync's public key; sync and outbound keep them per account (§10.2)."""

import secrets
from hashlib import sha256
from uuid import UUID

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
_NONCE_BYTES = 12
_TAG_BYTES = 16
_KEY_ID_BYTES = 8
_SEALED = b"\x01"  # X25519, HKDF-SHA256, AES-256-GCM
_KEPT = b"\x01"  # AES-256-GCM under a data key, itself under the master key
_WRAPPED_BYTES = _NONCE_BYTES + KEY_BYTES + _TAG_BYTES


class VaultError(Exception):
    """These bytes were not made for this key, this account or this version; says nothing of what they hold."""


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """What an OAuth provider gave, good at its own servers only; `expires_at`: the access token's end, since the epoch."""

    provider: str
    refresh_token: str
    access_token: str
    expires_at: float

    def __repr__(self) -> str:
        return "Tokens(…)"


class Credentials(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an account logs in with; the plaintext of whatever is sealed or kept. Shows nothing of itself.

    `oauth`: instead of passwords.
    """

    imap_password: str = ""
    smtp_password: str | None = None
    oauth: Tokens | None = None

    def __repr__(self) -> str:
        return "Credentials(…)"

    def ended(self, now: float) -> bool:
        """Whether they are an access token that is good no more."""
        return self.oauth is not None and self.oauth.expires_at <= now

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def decoded(cls, plaintext: bytes) -> "Credentials":
        """Raises VaultError, without the text that a decoder's own error would quote."""
        try:
            return msgspec.json.decode(plaintext, type=cls)
        except msgspec.MsgspecError:
            raise VaultError("what was unsealed are no credentials") from None


def seal(public_key: bytes, plaintext: bytes) -> bytes:
    """Only the holder of the private key reads it; sealing twice gives different bytes."""
    ephemeral = X25519PrivateKey.generate()
    public = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    return _SEALED + public + _box(shared, public, public_key).encrypt(bytes(_NONCE_BYTES), plaintext, _SEALED)


def unseal(private_key: bytes, sealed: bytes) -> bytes:
    """What `seal` was given. Raises VaultError."""
    version, public, box = sealed[:1], sealed[1 : 1 + KEY_BYTES], sealed[1 + KEY_BYTES :]
    if version != _SEALED or len(box) < _TAG_BYTES:
        raise VaultError("not a sealed secret of this version")
    own = X25519PrivateKey.from_private_bytes(private_key)
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(public))
        cipher = _box(shared, public, own.public_key().public_bytes_raw())
        return cipher.decrypt(bytes(_NONCE_BYTES), box, _SEALED)
    except (InvalidTag, ValueError):  # ValueError: a public key of low order (RFC 7748 §6.1)
        raise VaultError("sealed for another key, or changed on its way") from None


def public_key(private_key: bytes) -> bytes:
    """The half that the gateway is given."""
    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


class Vault:
    """Keeps each account's secret under a data key of its own, wrapped by the master key.

    Both layers are bound to the account, so a row copied to another account opens nothing. While the master key is changed,
    what is kept under the `previous` one opens as well.
    """

    def __init__(self, master_key: bytes, previous: bytes | None = None) -> None:
        self._key_id = _key_id(master_key)
        self._master = AESGCM(master_key)
        self._masters = {_key_id(key): AESGCM(key) for key in (previous, master_key) if key is not None}

    def __repr__(self) -> str:
        return "Vault(…)"

    def keep(self, account_id: UUID, plaintext: bytes) -> bytes:
        """The row to store: version, master key's id, wrapped data key, ciphertext."""
        data_key = AESGCM.generate_key(256)
        head = _KEPT + self._key_id
        wrapped = _encrypt(self._master, data_key, head + b"key" + account_id.bytes)
        return head + wrapped + _encrypt(AESGCM(data_key), plaintext, head + b"secret" + account_id.bytes)

    def open(self, account_id: UUID, kept: bytes) -> bytes:
        """What `keep` was given for this account. Raises VaultError."""
        head, rest = kept[: 1 + _KEY_ID_BYTES], kept[1 + _KEY_ID_BYTES :]
        if head[:1] != _KEPT:
            raise VaultError("not a kept secret of this version")
        master = self._masters.get(head[1:])
        if master is None:
            raise VaultError("kept under another MASTER_KEY than the one of this process")
        data_key = _decrypt(master, rest[:_WRAPPED_BYTES], head + b"key" + account_id.bytes)
        return _decrypt(AESGCM(data_key), rest[_WRAPPED_BYTES:], head + b"secret" + account_id.bytes)

    def renewed(self, account_id: UUID, kept: bytes) -> bytes | None:
        """The same secret under the master key, with a new data key; None when it is under that already. Raises VaultError."""
        plaintext = self.open(account_id, kept)
        return None if kept[1 : 1 + _KEY_ID_BYTES] == self._key_id else self.keep(account_id, plaintext)


def _key_id(master_key: bytes) -> bytes:
    return sha256(b"webmail master key id" + master_key).digest()[:_KEY_ID_BYTES]


def _box(shared: bytes, ephemeral: bytes, recipient: bytes) -> AESGCM:
    """A key used once, so its nonce may be zero; both public keys are part of it (RFC 9180 §4.1)."""
    derived = HKDF(SHA256(), KEY_BYTES, salt=None, info=b"webmail sealed secret 1" + ephemeral + recipient)
    return AESGCM(derived.derive(shared))


def _encrypt(cipher: AESGCM, plaintext: bytes, bound_to: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, plaintext, bound_to)


def _decrypt(cipher: AESGCM, box: bytes, bound_to: bytes) -> bytes:
    try:
        return cipher.decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError):
        raise VaultError("kept for another account, or changed since") from None
