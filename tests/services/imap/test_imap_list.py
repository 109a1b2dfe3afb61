"""A real server's mailboxes, whatever they are called."""

import pytest

from services.mail.imap import special_use
from tests.services.imap.conftest import Connect
from tests.support.dovecot import POOR, Dovecot, User
from tests.support.imap_client import other_client

ODD = [
    b"R&-D",
    b"Wys&AUI-ane",
    b"a * b",
    b'quo\\"te',
    b"back\\\\slash",
    b"(paren",
    b"brace{5}",
    b"Sub/x y",
    b"2024",
    b"NIL",
]
PATHS = {"R&D", "Wysłane", "a * b", 'quo"te', "back\\slash", "(paren", "brace{5}", "Sub/x y", "2024", "NIL"}
OWN = {"INBOX", "Archive", "Drafts", "Junk", "Sent", "Trash"}


@pytest.fixture
def odd_user(dovecot: Dovecot, mail_user: User) -> User:
    with other_client(dovecot.port, mail_user, None) as client:
        for name in ODD:
            assert client.create((b'"' + name + b'"').decode())[0] == "OK"
    return mail_user


@pytest.mark.parametrize("host", ["127.0.0.1", POOR])
async def test_odd_names_are_listed_and_can_be_opened(
    connect: Connect, dovecot: Dovecot, odd_user: User, host: str
) -> None:
    provider = connect(dovecot.port, odd_user, host=host)
    mailboxes = {mailbox.path: mailbox for mailbox in await provider.list_mailboxes()}
    assert set(mailboxes) == OWN | PATHS | {"Sub"}
    assert not mailboxes["Sub"].selectable
    assert mailboxes["Sub"].status is None
    assert all(mailboxes[path].delimiter == "/" for path in mailboxes)
    for path in OWN | PATHS:
        listed = mailboxes[path].status
        opened = await provider.status(path)
        assert listed is not None
        assert (listed.uidvalidity, listed.uidnext, listed.messages) == (opened.uidvalidity, 1, 0)


async def test_a_capable_server_tells_everything_in_one_command(
    connect: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.deliver(mail_user.name, b"Subject: x\r\n\r\nbody\r\n")
    mailboxes = await connect(dovecot.port, mail_user).list_mailboxes()
    assert mailboxes[0].path == "INBOX"
    assert {mailbox.path: mailbox.special_use for mailbox in mailboxes} == {path: path.lower() for path in OWN}
    status = mailboxes[0].status
    assert status is not None
    assert (status.messages, status.uidnext) == (1, 2)
    assert status.highestmodseq is not None


NO_ATTRIBUTES: frozenset[str] = frozenset()


def uses(*paths: str, delimiter: str | None = "/") -> dict[str, str]:
    return {**special_use.assign((path, delimiter, NO_ATTRIBUTES) for path in paths)}


def test_uses_are_told_by_the_server_or_guessed_by_name_once_each() -> None:
    assert special_use.assign(
        [
            ("INBOX", "/", NO_ATTRIBUTES),
            ("Kosz", "/", NO_ATTRIBUTES),
            ("Elementy wysłane", "/", NO_ATTRIBUTES),
            ("Sent", "/", NO_ATTRIBUTES),
            ("Old mail", "/", frozenset({"\\archive"})),
            ("Everything", "/", frozenset({"\\ALL"})),
            ("Archive", "/", NO_ATTRIBUTES),
        ]
    ) == {
        "INBOX": "inbox",
        "Kosz": "trash",
        "Elementy wysłane": "sent",
        "Old mail": "archive",
        "Everything": "all",
    }


@pytest.mark.parametrize(
    ("sent", "trash"),
    [
        ("Sent Items", "Deleted Items"),
        ("Gesendete Elemente", "Papierkorb"),
        ("Éléments envoyés", "Corbeille"),
        ("ELEMENTOS ENVIADOS", "Papelera"),
        ("Posta inviata", "Cestino"),
        ("Verzonden items", "Prullenbak"),
        ("Wysłane", "Kosz"),
        ("Odeslaná pošta", "Koš"),
        ("Skickat", "Papperskorgen"),
        ("送信済みメール", "ゴミ箱"),
        ("Mensagens enviadas", "Lixeira"),
        ("Отправленные", "Корзина"),
        ("Надіслані", "Кошик"),
        ("Sendt post", "Papirkurv"),
        ("Sendte elementer", "Søppel"),
        ("Lähetetyt", "Roskakori"),
        ("Elküldött elemek", "Törölt elemek"),
        ("Trimise", "Coș de gunoi"),
        ("Gönderilmiş Öğeler", "Silinmiş Öğeler"),
        ("Απεσταλμένα", "Διαγραμμένα"),
        ("Odoslaná pošta", "Kôš"),
        ("Изпратени", "Кошче"),
        ("Poslane poruke", "Smeće"),
        ("Enviats", "Paperera"),
        ("已发送邮件", "已删除邮件"),
        ("보낸편지함", "휴지통"),
    ],
)
def test_a_use_is_guessed_by_its_name_in_many_languages(sent: str, trash: str) -> None:
    assert uses("INBOX", sent, trash, "Projects") == {"INBOX": "inbox", sent: "sent", trash: "trash"}


def test_a_name_counts_at_the_top_only_whatever_the_delimiter() -> None:
    assert uses("INBOX", "Projects/2024/Spam", "INBOX/Drafts", "Sent.Items", "Trash") == {
        "INBOX": "inbox",
        "Trash": "trash",
    }
    assert uses("INBOX", "INBOX.Sent", "INBOX.Clients.Trash", "INBOX.A/Spam", delimiter=".") == {
        "INBOX": "inbox",
        "INBOX.Sent": "sent",
    }
    assert uses("INBOX", "Drafts", delimiter=None) == {"INBOX": "inbox", "Drafts": "drafts"}
