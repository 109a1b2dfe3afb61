"""DNS SRV (RFC 6186), TLS from the first byte before STARTTLS (RFC 8314 §5.1)."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from services.mail.discovery.address import Address, belongs, host
from services.mail.discovery.candidates import Candidate, Nothing, Server
from services.mail.discovery.dns import Dns, Service

Tls = Literal["ssl", "starttls"]

_IMAP: tuple[tuple[str, Tls], ...] = (("_imaps", "ssl"), ("_imap", "starttls"))
_SMTP: tuple[tuple[str, Tls], ...] = (("_submissions", "ssl"), ("_submission", "starttls"))


async def look(address: Address, dns: Dns) -> Candidate:
    """Raises Nothing, Failed."""
    names = [f"{service}._tcp.{address.domain}" for service, _ in (*_IMAP, *_SMTP)]
    answers = await asyncio.gather(*(dns.services(name) for name in names))
    imap, smtp = _chosen(_IMAP, answers[:2], address), _chosen(_SMTP, answers[2:], address)
    if imap is None:
        raise Nothing(f"no _imaps or _imap record in {address.domain}")
    hosts = [server.host for server in (imap, smtp) if server is not None]
    foreign = not all(belongs(name, address.domain) for name in hosts)
    return Candidate(source="srv", origin=address.domain, imap=imap, smtp=smtp, foreign=foreign)


def _chosen(
    kinds: tuple[tuple[str, Tls], ...], answers: Sequence[Sequence[Service]], address: Address
) -> Server | None:
    for (_, tls), services in zip(kinds, answers, strict=True):
        for service in services:
            if (name := host(service.host)) is not None and service.port:
                return Server(host=name, port=service.port, tls=tls, username=address.whole)
    return None
