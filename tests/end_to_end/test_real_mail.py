"""Six thousand real messages: each arrives once, as the server has it, and opens; what is broken says so."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from uuid import UUID

from contracts.facts import Fact, MessageArrived
from tests.services.sync.told import mailboxes, repeated
from tests.support import corpus
from tests.support.dovecot import Dovecot, Mail, User
from tests.support.imap_truth import held
from tests.support.installation import Person, Product, Reader, connect, product, state
from tests.support.shown import placed, seen, told

MAILBOXES = {
    "easy-ham-1": "INBOX",
    "easy-ham-2": "Archive",
    "hard-ham-1": "Lists",
    "spam-1": "Junk",
    "spam-2": "Lists/Offers",
}


def test_all_of_the_real_mail_arrives_once_and_opens(dovecot: Dovecot) -> None:
    messages = list(corpus.messages())
    assert len(messages) == corpus.COUNT
    user = dovecot.user()
    fill(dovecot, user, messages)
    with product() as running:
        person = running.register("wanda")
        account = connect(person, dovecot, user)
        running.until(lambda: complete(running, person, len(messages)), seconds=180, every=0.5)
        truth, facts = held(dovecot, user), told(running, person, account["id"])
        assert mailboxes(facts) == truth
        assert repeated(facts) == []
        assert [fact.uid for fact in arrivals(facts) if fact.unreadable] == []
        assert sum(map(len, placed(running).values())) == len(messages)
        of_blob = {fact.blob: fact.message_id for fact in arrivals(facts)}
        shown = seen(person)
        assert {path: mailbox.messages.keys() for path, mailbox in shown.items()} == {
            path: {of_blob[blob] for blob, _ in mails.values()} for path, mails in truth.items()
        }
        open_all(person, {message for mailbox in shown.values() for message in mailbox.messages})


def fill(dovecot: Dovecot, user: User, messages: list[corpus.CorpusMessage]) -> None:
    by_mailbox: defaultdict[str, list[Mail]] = defaultdict(list)
    for message in messages:
        mailbox = MAILBOXES[message.name.partition("__")[0]]
        mail = Mail(message.raw, flags="S")
        by_mailbox[mailbox].append(mail if message.date is None else Mail(message.raw, message.date, "S"))
    for mailbox, mails in by_mailbox.items():
        dovecot.load(user.name, mails, mailbox)


def complete(running: Product, person: Person, count: int) -> bool:
    return (
        state(person)["progress"]["synced"] == count and state(person)["state"] == "live" and folded(running) == count
    )


def folded(running: Product) -> int:
    return int(running.rows("SELECT count(*) FROM mail.placements")[0][0])


def arrivals(facts: list[Fact]) -> Iterator[MessageArrived]:
    return (fact for fact in facts if isinstance(fact, MessageArrived))


def open_all(person: Person, messages: set[UUID]) -> None:
    """Each as the browser opens it: the message, and its frame where it has HTML. None is empty without saying why."""
    reader = Reader(person)
    kinds: Counter[str] = Counter()
    for id_ in messages:
        message = reader.json(f"/api/messages/{id_}")
        assert message["text"].strip() or message["has_html"] or message["attachments"] or message["warnings"], id_
        if message["has_html"]:
            status, headers, body = reader.get(f"/api/messages/{id_}/html?theme=light&remote=0")
            assert status == 200
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'; script-src 'none'" in policy
            assert "sandbox allow-same-origin allow-popups" in policy
            assert b'<div id="wm-root">' in body
        kinds["html" if message["has_html"] else "text"] += 1
        kinds["broken"] += bool(message["warnings"])
    reader.close()
    assert min(kinds.values()) > 0  # there are some of each
