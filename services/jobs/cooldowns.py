"""Hosts that asked for peace: until when nobody of this installation should bother them, by host group (design §7)."""

import ipaddress
import re
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from contracts.streams import COOLDOWNS
from services.log import api
from services.log.connection import Connection

_STREAM = f"KV_{COOLDOWNS.name}"
_UNFIT = re.compile(r"[^a-z0-9.-]")
_SECOND = frozenset({"ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"})
"""Below these, countries (two letters) register names; where we take one for another, hosts cool down together."""


class Cooldown(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the bucket."""

    until: Annotated[datetime, msgspec.Meta(tz=True)]


def group(host: str) -> str:
    """Hosts of one provider: the domain that was registered, or the address; fit to be a key."""
    host = host.strip("[].").lower()
    try:
        return _UNFIT.sub("-", str(ipaddress.ip_address(host)))
    except ValueError:
        labels = [_UNFIT.sub("_", label) for label in host.split(".") if label] or ["_"]
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND
    return ".".join(labels[-3 if country else -2 :])


async def until(nc: Connection, host_group: str, now: datetime) -> datetime | None:
    """The end of the group's cooldown, None when there is none. Raises Unavailable."""
    stored = await api.from_leader(nc, _STREAM, {"last_by_subj": _subject(host_group)}) if host_group else None
    if stored is None:
        return None
    try:
        end = msgspec.json.decode(stored.data, type=Cooldown).until
    except msgspec.MsgspecError:
        return None
    return end if end > now else None


async def cool(nc: Connection, host_group: str, end: datetime) -> None:
    """From now on, until then; the last word counts. Raises Unavailable."""
    await api.publish(nc, _subject(host_group), msgspec.json.encode(Cooldown(until=end.astimezone(UTC))), {})


def _subject(host_group: str) -> str:
    return f"$KV.{COOLDOWNS.name}.{host_group}"
