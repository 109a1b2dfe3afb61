"""A draft that is written here and in another mail program in turns, over the whole product: one draft, or two where both wrote."""

from tests.end_to_end.test_sending_whole_product import connect, mailbox, written
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import quoted, session
from tests.support.installation import Person, product
from tests.support.smtp_sink import sink_beside

THEIRS = b"From: %s\r\nTo: bob@x.example\r\nSubject: Plan\r\nMessage-ID: %s\r\n\r\n%s\r\n"


def test_a_draft_is_written_here_and_there_in_turns(dovecot: Dovecot) -> None:
    me = dovecot.user()
    with sink_beside() as sink, product(DRAFTS_MIRRORED_EVERY="1") as running:
        person = running.register("ewa")
        connect(person, dovecot, me, sink)
        running.until(lambda: mailboxes(person) >= {"Drafts"}, seconds=60)
        draft = written(person, {"kind": "new"}, ["bob@x.example"], "Plan", "<p>Shall we meet at noon?</p>")
        running.until(lambda: state(person, draft["id"])["saved_on_server"], seconds=30)
        for words, key in ((b"Shall we meet at noon? Or later?", None), (b"Shall we meet at noon? No.", b"<phone@x>")):
            before = state(person, draft["id"])
            replace(dovecot, me, words, key)
            running.until(
                lambda known=before["revision"]: state(person, draft["id"])["revision"] == known + 1, seconds=30
            )
            now = state(person, draft["id"])
            assert words.decode() in now["html"]
            saved = person.browser._json(
                "PUT", f"/api/drafts/{draft['id']}", wish(now, html=now["html"] + "<p>Ewa</p>")
            )
            assert saved["draft"]["revision"] == now["revision"] + 1
            running.until(lambda: state(person, draft["id"])["saved_on_server"], seconds=30)
            assert len(mailbox(dovecot, me, "Drafts")) == 1
        (line,) = person.browser.get("/api/drafts")["drafts"]
        assert line["id"] == draft["id"]


def mailboxes(person: Person) -> set[str]:
    return {one["path"] for account in person.browser.get("/api/accounts")["accounts"] for one in account["mailboxes"]}


def state(person: Person, draft: str) -> dict[str, object]:
    found: dict[str, object] = person.browser.get(f"/api/drafts/{draft}")
    return found


def wish(draft: dict[str, object], **change: object) -> dict[str, object]:
    names = ("revision", "identity_id", "to", "cc", "bcc", "subject", "html", "plain", "quote")
    return {name: draft[name] for name in names} | change


def replace(dovecot: Dovecot, user: User, words: bytes, key: bytes | None) -> None:
    """The one draft that is there, as another program does it; under its own Message-ID without a `key`."""
    with session(dovecot, user) as imap:
        imap.select(quoted("Drafts"))
        _, (found,) = imap.uid("SEARCH", "ALL")
        _, answer = imap.uid("FETCH", found.decode(), "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
        assert isinstance(answer[0], tuple)
        own = answer[0][1].partition(b":")[2].strip()
        raw = THEIRS % (user.name.encode(), key or own, words)
        imap.append(quoted("Drafts"), "\\Draft", None, raw)  # type: ignore[arg-type] # it takes None
        imap.uid("STORE", found.decode(), "+FLAGS", "\\Deleted")
        imap.expunge()
