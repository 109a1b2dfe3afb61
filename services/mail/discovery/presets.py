"""Providers that are known by the address' domain, or by who takes the mail of that domain."""

import functools
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Literal

import msgspec

from services.mail.discovery.address import Address
from services.mail.discovery.candidates import Auth, Candidate, Nothing, Server
from services.mail.discovery.dns import Dns

COUNTRIES = ".*"


class Preset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As presets.toml says at its top."""

    domains: tuple[str, ...]
    imap: str
    smtp: str
    auth: tuple[Auth, ...]
    mx: tuple[str, ...] = ()
    username: str = "%EMAILADDRESS%"
    help: str | None = None


@functools.cache
def presets() -> dict[str, Preset]:
    text = resources.files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Preset])


async def by_domain(address: Address) -> Candidate:
    """Raises Nothing."""
    for name, preset in presets().items():
        if any(_covers(domain, address.domain) for domain in preset.domains):
            return _candidate("preset", name, preset, address)
    raise Nothing(f"{address.domain} is no provider that we know by name")


async def by_exchanger(address: Address, dns: Dns) -> Candidate:
    """Raises Nothing, Failed."""
    exchangers = await dns.exchangers(address.domain)
    for exchanger in exchangers[:1]:
        for name, preset in presets().items():
            if exchanger.endswith(preset.mx):
                return _candidate("mx", name, preset, address, exchanger)
    raise Nothing(_told(exchangers))


def _covers(domain: str, asked: str) -> bool:
    """`yahoo.*` covers yahoo.com and yahoo.co.uk, and no name within them."""
    if not domain.endswith(COUNTRIES):
        return domain == asked
    first, *rest = asked.split(".")
    return first == domain.removesuffix(COUNTRIES) and 1 <= len(rest) <= 2 and all(len(part) <= 3 for part in rest)


def _candidate(
    source: Literal["preset", "mx"], name: str, preset: Preset, address: Address, exchanger: str = ""
) -> Candidate:
    username = preset.username.replace("%EMAILADDRESS%", address.whole).replace("%EMAILLOCALPART%", address.local)
    return Candidate(
        source=source,
        origin=name,
        imap=_server(preset.imap.replace("%MX%", exchanger), 993, username),
        smtp=_server(preset.smtp.replace("%MX%", exchanger), 465, username),
        auth=preset.auth,
        help=preset.help,
    )


def _server(text: str, port: int, username: str) -> Server:
    where, _, starttls = text.partition(" ")
    host, _, other = where.partition(":")
    return Server(host=host, port=int(other or port), tls="starttls" if starttls else "ssl", username=username)


def _told(exchangers: Sequence[str]) -> str:
    return f"{exchangers[0]} takes its mail, whose servers we don't know" if exchangers else "nobody takes mail for it"
