"""Dates as mailers wrote them (RFC 5322 §3.3 and §4.3, RFC 850, asctime, ISO 8601), in UTC, or None."""

import re
from datetime import UTC, datetime, timedelta

_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
# RFC 5322 §4.3; everything else means nothing known, which is -0000.
_ZONES = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "met": 1, "mest": 2, "bst": 1, "jst": 9}  # fmt: skip
_TIME = r"(\d{1,2})\s?[:.]\s?(\d{1,2})(?:\s?[:.]\s?(\d{1,2})(?:\.\d+)?)?\s?([AaPp][Mm]\b)?"
_ZONE = r"(?:\s{0,4}(?:UTC|GMT|\()?([+-]\s?\d{1,2}:?\d{2})(?!\d)|\s{0,4}\(?([A-Za-z]{1,5})\b)?"
_RFC_5322 = re.compile(
    rf"(\d{{1,2}})[\s,.-]{{0,4}}([A-Za-z]{{3}})[A-Za-z]{{0,6}}[\s,.-]{{0,4}}(\d{{2,4}})(?:[\s,]{{1,4}}{_TIME}{_ZONE})?"
)
_ASCTIME = re.compile(
    rf"([A-Za-z]{{3}})[A-Za-z]{{0,6}}\.?\s{{1,3}}(\d{{1,2}}),?\s{{1,3}}(?:{_TIME}{_ZONE},?\s{{1,3}}(\d{{4}})|(\d{{4}}),?\s{{1,3}}{_TIME}{_ZONE})"
)
_ISO_8601 = re.compile(rf"(\d{{4}})[-/](\d{{1,2}})[-/](\d{{1,2}})(?:[T\s]{{1,3}}{_TIME}{_ZONE})?")
_COMMENT = re.compile(r"\([^()]{0,80}\)")
_BLANKS = re.compile(r"\s+")


def parse(value: str) -> datetime | None:
    """The first reading that is a real moment; zones beyond ±14:00 count as UTC."""
    text = _BLANKS.sub(" ", _COMMENT.sub(" ", value[:200])) if "(" in value else _BLANKS.sub(" ", value[:200])
    if found := _RFC_5322.search(text):
        day, month, year, *time = found.groups()
        return _moment(year, _MONTHS.get(month.lower()), day, time)
    if found := _ASCTIME.search(text):
        month, day, *rest = found.groups()
        early, late = rest[:6], rest[8:]
        return _moment(rest[6] or rest[7], _MONTHS.get(month.lower()), day, early if rest[6] else late)
    if found := _ISO_8601.search(text):
        year, iso_month, day, *time = found.groups()
        return _moment(year, int(iso_month), day, time)
    return None


def _moment(year: str, month: int | None, day: str, time: list[str | None]) -> datetime | None:
    hour, minute, second, half, offset, zone = time
    if month is None:
        return None
    hours = int(hour or 0)
    if half and hours <= 12:
        hours = hours % 12 + (12 if half.lower() == "pm" else 0)
    try:
        local = datetime(_year(year), month, int(day), hours, int(minute or 0), min(int(second or 0), 59), tzinfo=UTC)
        return local - _offset(offset, zone)
    except (ValueError, OverflowError):
        return None


def _year(text: str) -> int:
    """RFC 5322 §4.3: two digits below 50 are of this century, other two and three digits count from 1900."""
    year = int(text)
    if len(text) > 3:
        if year < 1900:
            raise ValueError("no mail was sent then")
        return year
    return year + (2000 if len(text) == 2 and year < 50 else 1900)


def _offset(offset: str | None, zone: str | None) -> timedelta:
    if offset:
        digits = offset[1:].strip().replace(":", "").rjust(4, "0")
        hours, minutes = int(digits[:2]), int(digits[2:])
        if hours > 14 or minutes > 59:
            return timedelta()
        return timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
    return timedelta(hours=_ZONES.get((zone or "").lower(), 0))
