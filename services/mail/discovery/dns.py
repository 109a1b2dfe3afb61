"""What DNS says of a domain's mail: SRV (RFC 2782) and MX (RFC 5321 §5.1)."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import dns.asyncresolver
import dns.exception
import dns.resolver
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.IN.SRV import SRV

from services.mail.discovery.candidates import Failed

SECONDS = 5.0


class Service(NamedTuple):
    priority: int
    weight: int
    port: int
    host: str


class Dns:
    """Asks the resolver of this machine, or the given one."""

    def __init__(self, resolver: dns.asyncresolver.Resolver | None = None) -> None:
        self._given = resolver

    async def services(self, name: str) -> Sequence[Service]:
        """In the order in which they are to be tried; a host that is "" says that there is no such service. Raises Failed."""
        found = [
            Service(one.priority, one.weight, one.port, _name(one.target))
            for one in await self._ask(name, "SRV")
            if isinstance(one, SRV)
        ]
        return in_turn(found)

    async def exchangers(self, domain: str) -> Sequence[str]:
        """The preferred first; a null MX (RFC 7505) is none. Raises Failed."""
        found = [one for one in await self._ask(domain, "MX") if isinstance(one, MX)]
        return [name for one in sorted(found, key=lambda one: one.preference) if (name := _name(one.exchange))]

    async def _ask(self, name: str, kind: str) -> Iterable[object]:
        try:
            resolver = self._given or dns.asyncresolver.Resolver()
            return await resolver.resolve(name, kind, lifetime=SECONDS, search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return ()
        except dns.resolver.LifetimeTimeout:
            raise Failed(f"DNS gave no answer within {SECONDS:.0f} s") from None
        except (dns.exception.DNSException, OSError, ValueError):
            raise Failed("DNS could not be asked") from None


def in_turn(services: Iterable[Service]) -> list[Service]:
    """The lowest priority first; among equals by chance, in proportion to their weights (RFC 2782)."""
    return sorted(services, key=lambda one: (one.priority, random.expovariate(one.weight or 0.01)))


def _name(name: object) -> str:
    return str(name).rstrip(".").lower()
