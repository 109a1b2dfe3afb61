"""Identities as the API shows them."""

from services.gateway.identities.structs import Identity
from services.state import identities


def shown(row: identities.Identity) -> Identity:
    return Identity(
        id=row.id,
        account_id=row.account_id,
        name=row.name,
        email=row.email,
        reply_to=row.reply_to,
        signature=row.signature,
        is_default=row.is_default,
    )
