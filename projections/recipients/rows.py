"""What readers of the known recipients get."""

import msgspec


class RecipientRow(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: the last one seen, or empty."""

    email: str
    name: str
