"""A webmail with a domain, whose users may be strangers, connects to no private network unless its operator says so."""

from typing import Any

from tests.support.dovecot import FULL, Dovecot, User
from tests.support.installation import Person, product


def tried(person: Person, dovecot: Dovecot, user: User) -> list[Any]:
    imap = {"host": FULL, "port": dovecot.port, "tls": "none", "username": user.name, "password": user.password}
    checks = person.browser.post("/api/accounts/test", {"imap": imap, "smtp": None})["checks"]
    return [check["code"] for check in checks]


def test_a_domain_closes_the_way_to_this_machine_and_the_operator_opens_it(dovecot: Dovecot, mail_user: User) -> None:
    with product(APP_DOMAIN="mail.example") as closed:
        assert tried(closed.register("stranger"), dovecot, mail_user) == ["private_address"]
    with product(APP_DOMAIN="mail.example", SSRF_ALLOW="127.0.0.1") as opened:
        assert tried(opened.register("neighbour"), dovecot, mail_user) == [None, None]
