"""Nobody reaches a private network through us, however its address is written or its name resolves."""

import ipaddress
import socket
from collections.abc import Sequence

import pytest

from contracts.provider import ProviderConnectError
from services.http import Http, HttpError
from services.mail import dial as module
from services.mail.dial import dial
from services.reach import AddressInfo, OutOfReach, Reach
from tests.support.stand_ins import Internet, page, within

HOSTILE = (
    # this machine, in every way that a resolver takes
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    # private, shared and local networks
    "10.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "0xc0.0xa8.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "::ffff:10.0.0.1",
    "fc00::1",
    "fd12:3456:789a::1",
    "fe80::1",
    "fec0::1",
    # where clouds keep their secrets
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "::ffff:169.254.169.254",
    "fd00:ec2::254",
    "168.63.129.16",
    "192.0.0.192",
    # translated and tunnelled forms of the same
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "192.88.99.1",
    # everybody and nobody
    "224.0.0.1",
    "239.255.255.250",
    "255.255.255.255",
    "240.0.0.1",
    "ff02::1",
    "198.18.0.1",
    "192.0.2.1",
    "2001:db8::1",
)


@pytest.fixture
def knocked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom a connection was tried to."""
    tried: list[object] = []

    async def connect(address: AddressInfo) -> socket.socket:
        tried.append(address[4][0])
        raise ConnectionRefusedError

    monkeypatch.setattr(module, "_connect", connect)
    return tried


@pytest.mark.parametrize("host", HOSTILE)
async def test_a_hostile_host_is_refused_before_anything_is_sent(host: str, knocked: list[object]) -> None:
    with pytest.raises(ProviderConnectError) as refused:
        await dial(host, 993, 5, Reach())
    assert refused.value.code in ("private_address", "unknown_host", "unavailable")
    place = f"[{host}]" if ":" in host else host
    with pytest.raises(HttpError) as unsent:
        await Http(Reach()).get(f"https://{place}/")
    assert unsent.value.code == refused.value.code
    assert knocked == []


async def test_most_hostile_hosts_are_refused_by_what_they_are(knocked: list[object]) -> None:
    """A resolver may not know an odd form, but those that it knows are told by their address."""
    told = []
    for host in HOSTILE:
        try:
            await Reach().addresses(host, 443)
        except OutOfReach:
            told.append(host)
        except OSError:
            continue
    assert len(told) >= 40


@pytest.mark.parametrize(
    "address", ["9.9.9.9", "20.0.0.1", "2620:fe::9", "2a00:1450:4001::1", "172.32.0.1", "100.128.0.1"]
)
def test_the_public_internet_is_within_reach(address: str) -> None:
    assert Reach().has(address)


def test_a_scope_is_no_way_around() -> None:
    assert not Reach().has("fe80::1%1")


def test_the_operator_may_allow_a_network_and_nothing_beside_it() -> None:
    lan = Reach([ipaddress.ip_network("192.168.7.0/24")])
    assert lan.has("192.168.7.9")
    assert not lan.has("192.168.8.9")
    assert not lan.has("127.0.0.1")


async def test_of_a_names_addresses_only_those_within_reach_are_tried(knocked: list[object]) -> None:
    async def both(_: str, port: int) -> Sequence[AddressInfo]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in ("10.0.0.1", "20.0.0.1")]

    with pytest.raises(ProviderConnectError):
        await dial("both.example", 993, 5, Reach(resolve=both))
    assert knocked == ["20.0.0.1"]


async def test_a_name_that_changes_its_mind_is_asked_once(internet: Internet) -> None:
    """DNS rebinding: the address that was checked is the one that is connected to."""
    await internet.website("rebinding.example", {"/": page(b"the first answer")})
    world = within(internet.map)
    answers = [await world.reach.addresses("rebinding.example", 443)]
    asked = 0

    async def rebinding(_: str, port: int) -> Sequence[AddressInfo]:
        nonlocal asked
        asked += 1
        return answers.pop() if answers else [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    http = Http(Reach(resolve=rebinding), world.trust)
    assert (await http.get("https://rebinding.example/")).body == b"the first answer"
    assert asked == 1
    with pytest.raises(HttpError) as refused:
        await http.get("https://rebinding.example/")
    assert refused.value.code == "private_address"
