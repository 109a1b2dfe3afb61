"""How far this installation reaches: names become addresses once, and only those are connected to that are no private network's.

Whoever may type a server's name, or answers for one in DNS, could otherwise speak through us to what is behind our wall.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

AddressInfo = tuple[Any, Any, int, str, Any]
"""What `getaddrinfo` gives: family, type, protocol, canonical name, socket address."""

Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[AddressInfo]]]

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All that IANA has given out (RFC 4291 §2.4); the rest is mapped, translated (NAT64), local or multicast."""

NOT_PUBLIC: tuple[Network, ...] = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network; Linux takes it for loopback (RFC 6890)
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT (RFC 6598)
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's host, on whose word virtual machines rely
        "169.254.0.0/16",  # link-local, and the metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "2001::/23",  # protocols of the IETF, Teredo among them (RFC 4380)
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4 (RFC 3056)
        "3fff::/20",  # documentation (RFC 9637)
    )
)


class OutOfReach(Exception):
    """All addresses of this host are of private networks that the operator has not allowed."""


async def by_system(host: str, port: int) -> Sequence[AddressInfo]:
    """As every program of this machine resolves names, its hosts file included."""
    return await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)


class Reach:
    """The public Internet and the networks that the operator allows."""

    def __init__(self, allowed: Sequence[Network] = (), resolve: Resolve = by_system) -> None:
        self._allowed = tuple(allowed)
        self._resolve = resolve

    async def addresses(self, host: str, port: int) -> list[AddressInfo]:
        """To connect to without resolving again. Raises OutOfReach, or what resolving raises."""
        found = await self._resolve(host, port)
        within = [info for info in found if self.has(info[4][0])]
        if found and not within:
            raise OutOfReach(host)
        return within

    def has(self, address: str) -> bool:
        """Of an address as the resolver writes it."""
        known = ip_address(address)
        return any(known in network for network in self._allowed) or is_public(known)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether anybody on the Internet may be there: no private, local, shared, mapped or translated form."""
    if isinstance(address, IPv6Address) and address not in GLOBAL_UNICAST:
        return False
    return not any(address in network for network in NOT_PUBLIC)


ANYWHERE = Reach((IPv4Network("0.0.0.0/0"), IPv6Network("::/0")))
"""For whom the operator alone tells where to connect."""
