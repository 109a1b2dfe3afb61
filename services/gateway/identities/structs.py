"""What is sent and shown of identities."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

Address = Annotated[str, msgspec.Meta(max_length=254)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Signature = Annotated[str, msgspec.Meta(max_length=100_000)]


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """`reply_to`, `signature` (cleaned HTML): empty for none. Every account has one default identity."""

    id: UUID
    account_id: UUID
    name: str
    email: str
    reply_to: str
    signature: str
    is_default: bool


class NewIdentity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`email`: an address that the account's server sends from."""

    email: Address
    name: Name
    reply_to: Address = ""
    signature: Signature = ""


class IdentityChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays. `is_default`: true makes it the default one in place of another."""

    email: Address | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    reply_to: Address | UnsetType = UNSET
    signature: Signature | UnsetType = UNSET
    is_default: bool | UnsetType = UNSET


class IdentityList(msgspec.Struct, frozen=True, kw_only=True):
    """The default one first, the others in the order in which they were added."""

    identities: list[Identity]
