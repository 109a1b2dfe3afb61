"""An address is read as mail has it, and a name that others give us is one that DNS can have."""

import pytest

from services.mail.discovery.address import Address, host, parse


@pytest.mark.parametrize(
    ("email", "local", "domain"),
    [
        ("anna@example.org", "anna", "example.org"),
        (" Anna.B+c@Example.ORG. ", "Anna.B+c", "example.org"),
        ("jan@żółw.pl", "jan", "xn--w-uga1v8h.pl"),
        ("jan@poczta.gov.pl", "jan", "poczta.gov.pl"),
    ],
)
def test_an_address_is_read(email: str, local: str, domain: str) -> None:
    assert parse(email) == Address(local=local, domain=domain)


@pytest.mark.parametrize(
    "email",
    [
        *("", "anna", "@example.org", "anna@", "anna@example", "anna@127.0.0.1", "anna@[127.0.0.1]", "anna@2130706433"),
        *("anna@1.0x7f", "anna@exa mple.org", "anna@-x.org", "anna@x..org", "an\0na@example.org", f"a@{'x' * 64}.org"),
        *(f"a@{'x.' * 130}org", "a@example.org/..", "a@example.org:80", "a@exam%ple.org", f"{'a' * 65}@example.org"),
        '"a@b"@example.org',
    ],
)
def test_what_is_no_address_is_none(email: str) -> None:
    assert parse(email) is None


@pytest.mark.parametrize("name", ["imap.example.org", "mail_1.example.org", "IMAP.Example.org."])
def test_a_host_is_written_as_dns_has_it(name: str) -> None:
    assert host(name) == name.lower().rstrip(".")


@pytest.mark.parametrize("name", ["localhost", "10.0.0.1", "::1", "imap.example.org/x", "user@imap.example.org", "."])
def test_what_can_be_no_mail_server_is_no_host(name: str) -> None:
    assert host(name) is None
