"""Dates as mailers wrote them (RFC 5322 §3.3 and §4.3, RFC 850, asctime, ISO 8601), in UTC, or None."""

import re
from datetime import UTC, datetime, timedelta

_MAX_LENGTH = 400
_MONTHS = {name: number for number, name in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)}  # fmt: skip
# RFC 5322 §4.3, and the European ones; a zone that isn't here means that nothing is known, which is -0000.
_ZONES = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "met": 1, "mest": 2, "bst": 1, "jst": 9}  # fmt: skip

_NAME = f"({'|'.join(_MONTHS)})[a-z]{{0,6}}"
_GAP = r"[\s,./-]{0,4}"
_TIME = r"(\d{1,2})\s?[:.]\s?(\d{1,2})(?:\s?[:.]\s?(\d{1,2})(?:\.\d+)?)?\s?([ap]m\b)?"
_ZONE = r"(?:\s{0,4}(?:UTC|GMT|\()?([+-]\s?\d{1,2}:?\d{2})(?!\d)|\s{0,4}\(?([a-z]{1,5})(?![a-z]))?"
_RFC_5322 = re.compile(
    rf"(?<!\w)(\d{{1,2}}){_GAP}{_NAME}{_GAP}(\d{{2,4}})(?!\d)(?:[\s,]{{1,4}}{_TIME}{_ZONE})?", re.IGNORECASE
)
_ASCTIME = re.compile(rf"\b{_NAME}\.?\s(\d{{1,2}}),?\s{_TIME}{_ZONE},?\s(\d{{4}})(?!\d)", re.IGNORECASE)
_AMERICAN = re.compile(rf"\b{_NAME}\.?\s(\d{{1,2}}),?\s(\d{{4}})(?!\d)(?:,?\s{_TIME}{_ZONE})?", re.IGNORECASE)
_ISO_8601 = re.compile(rf"(?<!\w)(\d{{4}})[-/](\d{{1,2}})[-/](\d{{1,2}})(?:[T\s]\s?{_TIME}{_ZONE})?", re.IGNORECASE)
_COMMENT = re.compile(r"\([^()]*\)")


def parse(value: str) -> datetime | None:
    """The moment that a Date names, if it is a real one; zones beyond ±14:00 count as UTC."""
    text = value[:_MAX_LENGTH]
    for _ in range(min(text.count("("), 4)):  # RFC 5322 §3.2.2: comments nest
        text = _COMMENT.sub(" ", text)
    text = " ".join(text.split())
    if found := _RFC_5322.search(text):
        day, month, year, *time = found.groups()
    elif found := _ASCTIME.search(text):
        month, day, *time, year = found.groups()
    elif found := _AMERICAN.search(text):
        month, day, year, *time = found.groups()
    elif found := _ISO_8601.search(text):
        year, month, day, *time = found.groups()
    if found is None or text.startswith(":", found.end()):  # a time that breaks off is no time
        return None
    return _moment(year, month, day, time)


def _moment(year: str, month: str, day: str, time: list[str | None]) -> datetime | None:
    hour, minute, second, half, offset, zone = time
    hours = int(hour or 0)
    if half and hours <= 12:
        hours = hours % 12 + (12 if half.lower() == "pm" else 0)
    try:
        number = _MONTHS.get(month.lower()) or int(month)
        local = datetime(_year(year), number, int(day), hours, int(minute or 0), min(int(second or 0), 59), tzinfo=UTC)
        return local - _offset(offset, zone)
    except (ValueError, OverflowError):
        return None


def _year(text: str) -> int:
    """RFC 5322 §4.3: two digits below 50 are of this century, other two and three digits (also 0102) count from 1900."""
    year = int(text)
    if year >= 1900:
        return year
    if len(text) == 4 and not 100 <= year < 200:
        raise ValueError("no mail was sent then")
    return year + (2000 if len(text) == 2 and year < 50 else 1900)


def _offset(offset: str | None, zone: str | None) -> timedelta:
    if offset:
        digits = offset[1:].strip().replace(":", "").rjust(4, "0")
        hours, minutes = int(digits[:2]), int(digits[2:])
        if hours > 14 or minutes > 59:
            return timedelta()
        return timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
    return timedelta(hours=_ZONES.get((zone or "").lower(), 0))
