"""What of the world discovery and account tests may touch."""

import ssl
from collections.abc import Iterable
from ipaddress import ip_network
from typing import NamedTuple

from services.http import Http
from services.mail.discovery.dns import Dns
from services.reach import Reach


class Outside(NamedTuple):
    """`trust`: whose certificates are believed."""

    reach: Reach
    trust: ssl.SSLContext
    dns: Dns
    http: Http


def outside(allowed: Iterable[str]) -> Outside:
    """The Internet and the networks that the operator allows, as this machine knows them."""
    reach, trust = Reach([ip_network(network) for network in allowed]), ssl.create_default_context()
    return Outside(reach, trust, Dns(), Http(reach, trust))
