"""From an address to its servers, by whatever way its domain knows; how we looked is told."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from services import http
from services.mail.discovery import dns as dns_module
from services.mail.discovery import probe, srv
from services.mail.discovery.address import Address, parse
from services.mail.discovery.candidates import Candidate, Discovery, Nothing
from services.mail.discovery.chain import discover
from services.mail.discovery.dns import Dns, Service, in_turn
from tests.services.discovery.test_clientconfig import file, server
from tests.support.stand_ins import Internet, page, within

ANNA = Address(local="anna", domain="example.org")
WELL_KNOWN = "/.well-known/autoconfig/mail/config-v1.1.xml"
CONFIG = page(file(server(), server("smtp", port=465)))
ROUND = ("autoconfig", "ispdb", "srv", "mx")


async def look(internet: Internet, email: str = "anna@example.org") -> Discovery:
    address = parse(email)
    assert address is not None
    return await discover(address, within(internet.map))


def only(found: Discovery) -> Candidate:
    (candidate,) = found.candidates
    return candidate


def told(found: Discovery) -> list[tuple[str, str]]:
    return [(step.method, step.status) for step in found.steps]


async def test_a_preset_asks_nobody(internet: Internet) -> None:
    found = await look(internet, "anna@onet.pl")
    assert (only(found).source, only(found).origin, told(found)) == ("preset", "onet.pl", [("preset", "found")])
    assert internet.zone.asked == []


async def test_the_domain_itself_is_asked_over_https_with_the_address(internet: Internet) -> None:
    asked = await internet.website("autoconfig.example.org", {"/mail/config-v1.1.xml": CONFIG})
    found = await look(internet)
    assert (only(found).source, only(found).imap.host) == ("autoconfig", "imap.example.org")
    assert asked == ["/mail/config-v1.1.xml?emailaddress=anna%40example.org"]
    assert told(found) == [("preset", "nothing"), ("autoconfig", "found")]


async def test_the_well_known_place_is_the_second(internet: Internet) -> None:
    await internet.website("example.org", {WELL_KNOWN: CONFIG})
    assert only(await look(internet)).source == "autoconfig"
    await internet.website(
        "autoconfig.example.org", {"/mail/config-v1.1.xml": page(file(server(host="first.example.org")))}
    )
    assert only(await look(internet)).imap.host == "first.example.org"


async def test_thunderbirds_database_knows_others(internet: Internet) -> None:
    await internet.website("autoconfig.thunderbird.net", {"/v1.1/example.org": CONFIG})
    found = await look(internet)
    assert (only(found).source, only(found).origin) == ("ispdb", "Example Mail")
    assert told(found) == [("preset", "nothing"), ("autoconfig", "nothing"), ("ispdb", "found")]


async def test_dns_names_the_servers(internet: Internet) -> None:
    internet.add("_imaps._tcp.example.org", "SRV", "10 0 993 mail.example.org.")
    internet.add("_submissions._tcp.example.org", "SRV", "10 0 465 mail.example.org.")
    found = only(await look(internet))
    assert (found.source, found.imap.host, found.imap.tls, found.foreign) == ("srv", "mail.example.org", "ssl", False)
    assert found.smtp is not None
    assert (found.smtp.port, found.smtp.username) == (465, "anna@example.org")


@pytest.mark.parametrize(
    ("records", "imap", "smtp"),
    [
        ({"_imap": "0 0 143 a", "_imaps": "9 0 993 b"}, ("b.example.org", 993, "ssl"), None),
        ({"_imap": "0 0 143 a", "_imaps": "0 0 0 ."}, ("a.example.org", 143, "starttls"), None),
        ({"_imaps": "0 0 993 a", "_submission": "0 0 587 s"}, ("a.example.org", 993, "ssl"), ("s.example.org", 587)),
        ({"_imaps": "0 0 993 a", "_submissions": "0 0 0 ."}, ("a.example.org", 993, "ssl"), None),
    ],
)
async def test_tls_from_the_first_byte_is_preferred_and_a_dot_means_none(
    internet: Internet, records: dict[str, str], imap: tuple[str, int, str], smtp: tuple[str, int] | None
) -> None:
    for service, data in records.items():
        internet.add(f"{service}._tcp.example.org", "SRV", data if data.endswith(".") else f"{data}.example.org.")
    found = await srv.look(ANNA, within(internet.map).dns)
    assert (found.imap.host, found.imap.port, found.imap.tls) == imap
    assert (found.smtp and (found.smtp.host, found.smtp.port)) == smtp


async def test_servers_of_another_domain_are_told_as_such(internet: Internet) -> None:
    internet.add("_imaps._tcp.example.org", "SRV", "0 0 993 imap.hoster.example.")
    assert only(await look(internet)).foreign


@pytest.mark.parametrize("target", ["127.0.0.1.", "localhost.", "a\\@b.example.org."])
async def test_a_target_that_is_no_servers_name_is_none(internet: Internet, target: str) -> None:
    internet.add("_imaps._tcp.example.org", "SRV", f"0 0 993 {target}")
    with pytest.raises(Nothing):
        await srv.look(ANNA, within(internet.map).dns)


def test_the_lowest_priority_comes_first_and_weights_share_the_rest() -> None:
    light, heavy, spare = Service(1, 1, 993, "light"), Service(1, 9, 993, "heavy"), Service(2, 99, 993, "spare")
    firsts = [in_turn([spare, light, heavy])[0].host for _ in range(2000)]
    assert "spare" not in firsts
    assert 0.05 < firsts.count("light") / len(firsts) < 0.18


@pytest.mark.parametrize(
    ("exchanger", "origin", "imap"),
    [
        ("aspmx.l.google.com", "Gmail", "imap.gmail.com"),
        ("example-org.mail.protection.outlook.com", "Microsoft 365", "outlook.office365.com"),
        ("mx-eu.mail.am0.yahoodns.net", "Yahoo Mail", "imap.mail.yahoo.com"),
        ("mx.zoho.eu", "Zoho Europe", "imap.zoho.eu"),
        ("in1-smtp.messagingengine.com", "Fastmail", "imap.fastmail.com"),
        ("mx01.mail.icloud.com", "iCloud", "imap.mail.me.com"),
        ("mx1.mail.ovh.net", "OVH", "ssl0.ovh.net"),
        ("example.home.pl", "home.pl", "example.home.pl"),
    ],
)
async def test_who_takes_the_mail_of_a_domain_has_it(
    internet: Internet, exchanger: str, origin: str, imap: str
) -> None:
    internet.add("example.org", "MX", f"20 backup.{exchanger}.")
    internet.add("example.org", "MX", f"10 {exchanger}.")
    found = only(await look(internet))
    assert (found.source, found.origin, found.imap.host) == ("mx", origin, imap)
    assert found.imap.username == "anna@example.org"


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def greeting(*lines: bytes, then_tls: bool = False) -> Talk:
    """Says a line each time that the client has said one, the first unasked; `then_tls`: speaks no more."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number, line in enumerate(lines):
            if number:
                await reader.readline()
            writer.write(line)
            await writer.drain()
        if then_tls:
            context = then_tls_context.pop()
            await writer.start_tls(context)
        await reader.read()

    return talk


then_tls_context: list[object] = []


async def mail_server(internet: Internet, name: str, port: int, talk: Talk, *, tls: bool = True) -> None:
    await internet.serve(name, port, talk, internet.authority.server([name]) if tls else None)


async def test_the_usual_names_are_tried_last(internet: Internet) -> None:
    await mail_server(internet, "mail.example.org", 993, greeting(b"* OK [CAPABILITY IMAP4rev1] hello\r\n"))
    await mail_server(internet, "smtp.example.org", 465, greeting(b"220-mail\r\n220 example.org ESMTP\r\n"))
    found = await look(internet)
    assert only(found).imap == probe.Server(host="mail.example.org", port=993, tls="ssl", username="anna@example.org")
    assert only(found).smtp == probe.Server(host="smtp.example.org", port=465, tls="ssl", username="anna@example.org")
    assert told(found) == [("preset", "nothing"), *((one, "nothing") for one in ROUND), ("probe", "found")]


async def test_what_does_not_greet_as_a_mail_server_is_none(internet: Internet) -> None:
    await mail_server(internet, "imap.example.org", 993, greeting(b"* BYE too many connections\r\n"))
    await mail_server(internet, "mail.example.org", 993, greeting(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    found = await look(internet)
    assert found.candidates == ()
    assert found.steps[-1].detail == "no mail server at imap.example.org, mail.example.org"


async def test_a_certificate_of_another_name_is_no_find(internet: Internet) -> None:
    talk = greeting(b"* OK hello\r\n")
    await internet.serve("imap.example.org", 993, talk, internet.authority.server(["other.example"]))
    assert (await look(internet)).candidates == ()


async def test_starttls_is_tried_to_its_end(internet: Internet) -> None:
    imap = greeting(b"* OK hello\r\n", b"* CAPABILITY IMAP4rev1\r\na OK begin TLS\r\n", then_tls=True)
    then_tls_context.append(internet.authority.server(["imap.example.org"]))
    await mail_server(internet, "imap.example.org", 143, imap, tls=False)
    found = only(await look(internet))
    assert (found.imap.port, found.imap.tls) == (143, "starttls")


@pytest.mark.parametrize("answer", [b"a NO not here\r\n", b"a BAD what\r\n", b"* " + b"x" * 70_000, b""])
async def test_without_tls_nothing_is_found(internet: Internet, answer: bytes) -> None:
    await mail_server(internet, "imap.example.org", 143, greeting(b"* OK hello\r\n", answer), tls=False)
    assert (await look(internet)).candidates == ()


async def test_doors_into_a_private_network_stay_closed(internet: Internet) -> None:
    internet.add("imap.example.org", "A", "10.1.2.3")
    internet.add("autoconfig.example.org", "A", "127.0.0.1")
    found = await look(internet)
    assert found.candidates == ()
    assert ("autoconfig", "failed") in told(found)
    assert found.steps[1].detail == "this name leads to a private network; no such host"


async def test_a_slow_way_does_not_hold_up_a_better_one(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what would count before it is waited for."""
    monkeypatch.setattr(http, "SECONDS", 20)

    async def silence(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    await internet.serve("autoconfig.thunderbird.net", 443, silence)
    await internet.website("example.org", {WELL_KNOWN: CONFIG})
    began = time.monotonic()
    assert only(await look(internet)).source == "autoconfig"
    assert time.monotonic() - began < 5


async def test_a_silent_world_is_given_up_in_time_and_told(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (http, dns_module, probe):
        monkeypatch.setattr(module, "SECONDS", 0.5)
    internet.zone.silent = True
    began = time.monotonic()
    found = await look(internet)
    assert time.monotonic() - began < 6
    assert found.candidates == ()
    assert told(found) == [("preset", "nothing"), *((one, "failed") for one in ROUND), ("probe", "nothing")]
    assert {step.detail for step in found.steps if step.method in ("srv", "mx")} == {"DNS gave no answer within 0 s"}


async def test_a_hostile_file_of_a_domain_only_ends_its_own_step(internet: Internet) -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'
    await internet.website("autoconfig.example.org", {"/mail/config-v1.1.xml": page(bomb)})
    internet.add("_imaps._tcp.example.org", "SRV", "10 0 993 mail.example.org.")
    found = await look(internet)
    assert told(found)[1:] == [("autoconfig", "failed"), ("ispdb", "nothing"), ("srv", "found")]


async def test_no_resolver_is_told_and_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> object:
        raise dns_module.dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns_module.dns.asyncresolver, "Resolver", missing)
    with pytest.raises(dns_module.Failed):
        await Dns().exchangers("example.org")
