"""Copies of drafts that another mail program deletes, over the whole product: these drafts go, and no others."""

from typing import Any

from tests.end_to_end.test_drafts_in_two_programs import mailboxes, state, wish
from tests.end_to_end.test_sending_whole_product import connect, written
from tests.support.dovecot import Dovecot, User
from tests.support.imap_truth import quoted, session
from tests.support.installation import Person, Product, product
from tests.support.smtp_sink import sink_beside

DELETED = {"Expunged", "Trashed"}
KEPT = {"Untouched", "Moved", "Written on", "Put there twice", "Numbered anew"}


def test_what_another_program_deletes_goes_and_all_else_stays(dovecot: Dovecot) -> None:
    """What is to go is deleted last: once it is gone, all else was judged."""
    me = dovecot.user()
    with session(dovecot, me) as imap:
        for path in ("Trash", "Later"):
            imap.create(quoted(path))
    with sink_beside() as sink, product(DRAFTS_MIRRORED_EVERY="1") as running:
        person = running.register("ewa")
        connect(person, dovecot, me, sink)
        running.until(lambda: mailboxes(person) >= {"Drafts", "Trash", "Later"}, seconds=60)
        begun(running, person, "Numbered anew")
        dovecot.doveadm("mailbox", "update", "-u", me.name, "--uid-validity", "4000000000", "Drafts")
        twice = begun(running, person, "Put there twice")
        for number in range(2):  # our own replacements
            written_on(person, twice, f"<p>Words {number}</p>")
            running.until(lambda: state(person, twice)["saved_on_server"], seconds=30)
        as_a_death_leaves_it(running, twice)
        running.until(lambda: state(person, twice)["saved_on_server"], seconds=30)
        drafts = {name: begun(running, person, name) for name in ("Untouched", "Moved", "Written on", *DELETED)}
        take_away(dovecot, me, "Moved", to="Later")
        take_away(dovecot, me, "Written on")
        written_on(person, drafts["Written on"], "<p>More words</p>")
        take_away(dovecot, me, "Trashed", to="Trash")
        take_away(dovecot, me, "Expunged")
        running.until(lambda: {line["subject"] for line in lines(person)} == KEPT, seconds=90)
        assert all(line["id"] for line in lines(person))
        running.until(lambda: state(person, drafts["Written on"])["saved_on_server"], seconds=30)
        assert held(dovecot, me) == sorted(KEPT - {"Moved"})


def lines(person: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.browser.get("/api/drafts")["drafts"]
    return found


def begun(running: Product, person: Person, subject: str) -> str:
    """A draft whose copy is on the server and was seen there."""
    draft: str = written(person, {"kind": "new"}, [], subject, f"<p>{subject}</p>")["id"]
    running.until(
        lambda: any(line["id"] == draft and line["message_id"] is not None for line in lines(person)), seconds=60
    )
    assert state(person, draft)["saved_on_server"]
    return draft


def written_on(person: Person, draft: str, html: str) -> None:
    person.browser._json("PUT", f"/api/drafts/{draft}", wish(state(person, draft), html=html))


def as_a_death_leaves_it(running: Product, draft: str) -> None:
    """Of who mirrors, between putting the copy there and saying so."""
    nowhere = "mirror_account_id = NULL, mirror_mailbox_id = NULL, mirror_uidvalidity = NULL, mirror_uid = NULL"
    running.rows(
        f"UPDATE drafts SET mirrored_edition = edition - 1, mirrored_at = NULL, {nowhere} WHERE id = %s RETURNING id",
        draft,
    )


def take_away(dovecot: Dovecot, user: User, subject: str, *, to: str | None = None) -> None:
    """The one copy of a draft, as another program does it."""
    with session(dovecot, user) as imap:
        imap.select(quoted("Drafts"))
        _, (found,) = imap.uid("SEARCH", "SUBJECT", quoted(subject))
        (uid,) = found.decode().split()
        if to is not None:
            imap.uid("COPY", uid, quoted(to))
        imap.uid("STORE", uid, "+FLAGS", "\\Deleted")
        imap.expunge()


def held(dovecot: Dovecot, user: User) -> list[str]:
    """The subjects of what is in Drafts."""
    with session(dovecot, user) as imap:
        imap.select(quoted("Drafts"))
        _, answer = imap.uid("FETCH", "1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
        return sorted(one[1].decode().partition(":")[2].strip() for one in answer if isinstance(one, tuple))
