"""What we fetch from strangers is fetched over HTTPS from their own domain, is short and small, and says nothing of us."""

import asyncio
import gzip
import ssl
import time
from pathlib import Path

import pytest

from services import http as module
from services.http import Http, HttpError
from tests.support.stand_ins import Internet, moved, page, within

HOST = "site.example"
URL = f"https://{HOST}/"


async def refused(http: Http, url: str = URL) -> str:
    with pytest.raises(HttpError) as caught:
        await http.get(url, within=HOST)
    return caught.value.code


async def test_a_page_comes_as_it_is(internet: Internet) -> None:
    asked = await internet.website(HOST, {"/a?b=c%40d": page(b"<x/>")})
    answer = await within(internet.map).http.get(f"{URL}a?b=c%40d")
    assert (answer.status, answer.body, asked) == (200, b"<x/>", ["/a?b=c%40d"])
    assert (await within(internet.map).http.get(f"{URL}other")).status == 404


async def test_nothing_of_this_machine_is_told(
    internet: Internet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No proxy, cookie or login of the environment takes part."""
    heard: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(page(b"x").replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b\r\n\r\n"))

    await internet.serve(HOST, 443, talk, internet.authority.server([HOST]))
    (tmp_path / ".netrc").write_text(f"machine {HOST} login me password secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    http = within(internet.map).http
    await http.get(URL)
    await http.get(URL)
    names = [line.partition(b":")[0].lower() for line in heard[1].split(b"\r\n")[1:] if line]
    assert sorted(names) == [b"accept", b"accept-encoding", b"host", b"user-agent"]


@pytest.mark.parametrize(
    "url",
    [f"http://{HOST}/", f"https://{HOST}:8443/", f"https://me:pw@{HOST}/", f"ftp://{HOST}/", "file:///etc/passwd"],
)
async def test_only_https_on_its_port_and_without_a_login(internet: Internet, url: str) -> None:
    await internet.website(HOST, {"/": page(b"x")})
    assert await refused(within(internet.map).http, url) == "not_https"


async def test_a_redirect_within_the_domain_is_followed(internet: Internet) -> None:
    await internet.website(HOST, {"/": moved(f"https://www.{HOST}/x"), "/y": moved("z"), "/z": page(b"there")})
    await internet.website(f"www.{HOST}", {"/x": page(b"here")})
    http = within(internet.map).http
    assert (await http.get(URL)).body == b"here"
    assert (await http.get(f"{URL}y")).body == b"there"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("https://evil.example/", "off_domain"),
        (f"https://evil{HOST}/", "off_domain"),
        ("//evil.example/", "off_domain"),
        ("https://10.0.0.1/", "off_domain"),
        (f"http://{HOST}/", "not_https"),
        (f"https://{HOST}:22/", "not_https"),
        (f"https://inside.{HOST}/", "private_address"),
        (f"https://nowhere.{HOST}/", "unknown_host"),
        (f"https://{HOST}\\@evil.example/", "not_https"),
        ("https://[::1/", "protocol"),
        ("https://\u00e9vil.example/", "protocol"),
    ],
)
async def test_a_redirect_is_checked_as_the_first_address_was(internet: Internet, where: str, code: str) -> None:
    page_ = b"HTTP/1.1 302 Found\r\nLocation: " + where.encode() + b"\r\nContent-Length: 0\r\n\r\n"
    await internet.website(HOST, {"/": page_})
    await internet.website("evil.example", {"/": page(b"evil")})
    internet.add(f"inside.{HOST}", "A", "169.254.169.254")
    assert await refused(within(internet.map).http) == code


async def test_redirects_end(internet: Internet) -> None:
    asked = await internet.website(HOST, {"/": moved("/")})
    assert await refused(within(internet.map).http) == "too_many_redirects"
    assert len(asked) == 1 + module.REDIRECTS


async def test_a_certificate_is_the_names_own(internet: Internet) -> None:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(page(b"x"))

    await internet.serve(HOST, 443, talk, internet.authority.server(["another.example"]))
    world = within(internet.map)
    assert await refused(world.http) == "tls_failed"
    await internet.website("www.site.example", {"/": page(b"x")})
    assert await refused(Http(world.reach, ssl.create_default_context()), "https://www.site.example/") == "tls_failed"


@pytest.mark.parametrize("told", [True, False])
async def test_what_is_too_large_is_given_up_while_it_comes(internet: Internet, *, told: bool) -> None:
    sent = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        length = b"Content-Length: 104857600\r\n" if told else b"Connection: close\r\n"
        writer.write(b"HTTP/1.1 200 OK\r\n" + length + b"\r\n")
        for _ in range(1600):
            writer.write(bytes(65536))
            await writer.drain()
            sent += 65536

    await internet.serve(HOST, 443, talk, internet.authority.server([HOST]))
    assert await refused(within(internet.map).http) == "too_large"
    assert sent < 50 << 20


async def test_a_page_of_the_limit_fits(internet: Internet) -> None:
    await internet.website(HOST, {"/": page(bytes(module.LIMIT)), "/more": page(bytes(module.LIMIT + 1))})
    http = within(internet.map).http
    assert len((await http.get(URL)).body) == module.LIMIT
    assert await refused(http, f"{URL}more") == "too_large"


async def test_what_is_compressed_unasked_is_refused(internet: Internet) -> None:
    """A few kilobytes may be gigabytes."""
    bomb = gzip.compress(bytes(10 << 20))
    await internet.website(HOST, {"/": page(bomb).replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n", 1)})
    assert await refused(within(internet.map).http) == "protocol"


@pytest.mark.parametrize(
    "after", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"]
)
async def test_a_page_that_drips_is_given_up_in_time(
    internet: Internet, monkeypatch: pytest.MonkeyPatch, after: bytes
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.6)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(after)
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    await internet.serve(HOST, 443, talk, internet.authority.server([HOST]))
    began = time.monotonic()
    assert await refused(within(internet.map).http) == "timeout"
    assert time.monotonic() - began < 3


async def test_redirects_share_one_deadline(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.6)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.4)
        writer.write(moved("/"))
        await writer.drain()

    await internet.serve(HOST, 443, talk, internet.authority.server([HOST]))
    assert await refused(within(internet.map).http) == "timeout"


@pytest.mark.parametrize("said", [b"* OK IMAP4rev1 ready\r\n", b"HTTP/1.1 two hundred\r\n\r\n", b"\0" * 200_000])
async def test_what_is_no_website_is_said_to_be_none(internet: Internet, said: bytes) -> None:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await writer.drain()

    await internet.serve(HOST, 443, talk, internet.authority.server([HOST]))
    assert await refused(within(internet.map).http) == "protocol"


async def test_a_port_that_speaks_no_tls_is_said_to_speak_none(internet: Internet) -> None:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello, this is no TLS\r\n")
        await writer.drain()

    await internet.serve(HOST, 443, talk)
    assert await refused(within(internet.map).http) in ("tls_failed", "connection_lost")
    internet.host(f"closed.{HOST}", {})
    assert await refused(within(internet.map).http, f"https://closed.{HOST}/") == "refused"
