"""What is suggested."""

import msgspec

from services.gateway.messages.structs import Addr


class Suggestions(msgspec.Struct, frozen=True, kw_only=True):
    """The likeliest first."""

    recipients: list[Addr]
