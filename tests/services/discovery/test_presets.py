"""Providers that everybody uses are known without asking anybody."""

import re
from pathlib import Path

import pytest

from services.mail.discovery import presets
from services.mail.discovery.address import Address, host, parse
from services.mail.discovery.candidates import Candidate, Nothing

CATALOGUES = Path(__file__).parents[3] / "web" / "src" / "ui" / "i18n"


async def of(email: str) -> Candidate:
    address = parse(email)
    assert address is not None
    return await presets.by_domain(address)


@pytest.mark.parametrize(
    ("email", "imap", "smtp", "username", "auth"),
    [
        ("a@gmail.com", "imap.gmail.com:993", "smtp.gmail.com:465", "a@gmail.com", "oauth:google"),
        ("a@googlemail.com", "imap.gmail.com:993", "smtp.gmail.com:465", "a@googlemail.com", "oauth:google"),
        ("a@outlook.com", "outlook.office365.com:993", "smtp-mail.outlook.com:587", "a@outlook.com", "oauth:microsoft"),
        (
            "a@hotmail.co.uk",
            "outlook.office365.com:993",
            "smtp-mail.outlook.com:587",
            "a@hotmail.co.uk",
            "oauth:microsoft",
        ),
        ("a@live.com", "outlook.office365.com:993", "smtp-mail.outlook.com:587", "a@live.com", "oauth:microsoft"),
        (
            "a@office365.com",
            "outlook.office365.com:993",
            "smtp.office365.com:587",
            "a@office365.com",
            "oauth:microsoft",
        ),
        ("a@yahoo.de", "imap.mail.yahoo.com:993", "smtp.mail.yahoo.com:465", "a@yahoo.de", "app_password"),
        ("a@me.com", "imap.mail.me.com:993", "smtp.mail.me.com:587", "a@me.com", "app_password"),
        ("a@icloud.com", "imap.mail.me.com:993", "smtp.mail.me.com:587", "a@icloud.com", "app_password"),
        ("a@gmx.de", "imap.gmx.net:993", "mail.gmx.net:465", "a@gmx.de", "password"),
        ("a@web.de", "imap.web.de:993", "smtp.web.de:465", "a@web.de", "password"),
        ("a@wp.pl", "imap.wp.pl:993", "smtp.wp.pl:465", "a", "password"),
        ("a@onet.pl", "imap.poczta.onet.pl:993", "smtp.poczta.onet.pl:465", "a@onet.pl", "password"),
        ("a@op.pl", "imap.poczta.onet.pl:993", "smtp.poczta.onet.pl:465", "a@op.pl", "password"),
        ("a@o2.pl", "poczta.o2.pl:993", "poczta.o2.pl:465", "a@o2.pl", "password"),
        ("a@interia.pl", "poczta.interia.pl:993", "poczta.interia.pl:465", "a@interia.pl", "password"),
        ("a@fastmail.com", "imap.fastmail.com:993", "smtp.fastmail.com:465", "a@fastmail.com", "app_password"),
        ("a@zoho.eu", "imap.zoho.eu:993", "smtp.zoho.eu:465", "a@zoho.eu", "password"),
    ],
)
async def test_a_provider_is_known_by_its_domain(email: str, imap: str, smtp: str, username: str, auth: str) -> None:
    found = await of(email)
    assert found.smtp is not None
    assert (f"{found.imap.host}:{found.imap.port}", f"{found.smtp.host}:{found.smtp.port}") == (imap, smtp)
    assert (found.imap.username, found.auth[0], found.source) == (username, auth, "preset")
    assert found.smtp.tls == ("starttls" if smtp.endswith(":587") else "ssl")


@pytest.mark.parametrize(
    "email", ["a@example.org", "a@mail.gmail.com", "a@yahoo.example.org", "a@notgmail.com", "a@live.museum"]
)
async def test_others_are_not(email: str) -> None:
    with pytest.raises(Nothing):
        await of(email)


def test_what_a_provider_wants_is_said_in_every_language() -> None:
    wanted = {preset.help for preset in presets.presets().values() if preset.help}
    for language in ("en", "pl"):
        said = (CATALOGUES / f"{language}.ts").read_text(encoding="utf-8")
        assert set(re.findall(r'"wizard\.help\.(\w+)"', said)) == wanted


def test_every_preset_can_be_used() -> None:
    seen: set[str] = set()
    for name, preset in presets.presets().items():
        made = presets._candidate("preset", name, preset, Address(local="a", domain="b.example"), "mx.c.example")
        for server in (made.imap, made.smtp):
            assert server is not None
            assert host(server.host) == server.host
            assert server.port in (993, 465, 587)
        assert preset.auth
        assert not seen.intersection(preset.domains), name
        seen.update(preset.domains)
