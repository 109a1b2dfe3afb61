"""The whole product: an account is connected by signing in at its provider, and read; a lost answer is asked no second time."""

import http.client
from urllib.parse import parse_qsl, urlsplit

from tests.support.dovecot import Dovecot, Mail, User
from tests.support.installation import Person, product, state
from tests.support.oauth_server import CLIENT, SECRET, OAuthServer
from tests.support.stand_in_google import stand_for_google
from tests.support.stand_in_product import installation_in, providers

MAIL = b"Subject: one\r\nFrom: ben@example.test\r\n\r\nHello.\r\n"


def signed_in(person: Person, server: OAuthServer, user: User) -> dict[str, str]:
    """To the provider's page and back; what the wizard is told."""
    wish = {"provider": "google", "email": user.name, "display_name": "Anna"}
    page = person.browser.post("/api/accounts/oauth/start", wish)["url"]
    back = urlsplit(server.consent(page, user.name))
    connection = http.client.HTTPConnection(back.netloc, timeout=60)
    cookie = person.browser.cookies
    connection.request("GET", f"{back.path}?{back.query}", headers={"Cookie": cookie})
    answer = connection.getresponse()
    assert answer.status == 303, answer.read()
    connection.close()
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def subjects(person: Person) -> list[str]:
    return [thread["subject"] for thread in person.browser.get("/api/threads?view=unified")["threads"]]


def test_an_account_lives_by_tokens_until_an_answer_is_lost_and_again_when_its_owner_signs_in(
    dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [Mail(MAIL)])
    server = OAuthServer()
    server.lives = 100  # so short that every connection needs another one
    client = {"OAUTH_GOOGLE_CLIENT_ID": CLIENT, "OAUTH_GOOGLE_CLIENT_SECRET": SECRET}
    with (
        providers(dovecot, lambda net: stand_for_google(net, server, dovecot.port)) as map_,
        product(installation_in(map_), **client) as running,
    ):
        person = running.register("anna")
        told = signed_in(person, server, mail_user)
        assert told == {"connected": state(person)["id"]}
        running.until(lambda: state(person)["state"] == "live", seconds=40)
        running.until(lambda: subjects(person) == ["one"], seconds=20)
        assert state(person)["imap"]["auth"] == "oauth:google"
        assert server.rotations > 0

        server.trouble = "lost"
        running.until(lambda: state(person)["state"] == "reconnect_required", seconds=60)
        assert state(person)["state_code"] == "grant_lost"
        ((sealed, version),) = running.rows("SELECT sealed, version FROM account_secrets")
        assert (sealed, version) == (b"", 2)
        asked = len(server.asked)
        assert server.asked[-1]["refresh_token"] not in [one["refresh_token"] for one in server.asked[1:-1]]

        server.trouble, server.lives = None, 3600
        assert signed_in(person, server, mail_user) == told
        dovecot.deliver(mail_user.name, MAIL.replace(b"one", b"two"))
        running.until(lambda: state(person)["state"] == "live", seconds=40)
        running.until(lambda: sorted(subjects(person)) == ["one", "two"], seconds=40)
        assert len(server.asked) == asked + 1

        logs = running.last_words() + "".join(
            path.read_text(errors="replace") for path in running.running.folder.logs.glob("*.log")
        )
        assert not [secret for secret in [*server.given, SECRET, mail_user.name] if secret in logs]
