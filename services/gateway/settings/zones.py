"""Time zones by their IANA names."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.gateway.errors import Refused


def known_zone(name: str) -> str:
    """The same name; refused when the time zone database has none such."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(
            400, "invalid_timezone", "This is no time zone that we know. Use an IANA name such as Europe/Warsaw."
        ) from None
