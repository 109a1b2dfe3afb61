"""Writing and sending mail in a real browser, and what then leaves the house."""

import email
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.policy import default

import pytest
from playwright.sync_api import Locator, Page, expect

from services.state.settings import DEFAULT
from tests.end_to_end.browser.conftest import Open, sign_in
from tests.end_to_end.browser.letters import PLAN, mailbox
from tests.support.browser import PATIENCE, PHONE, barriers
from tests.support.dovecot import FULL, Dovecot, User
from tests.support.installation import Person, Product, state
from tests.support.picture_server import PictureServer
from tests.support.smtp_sink import Sink, sink_beside

expect.set_options(timeout=PATIENCE)
NOBODY = "nobody@x.example"
SHORT = 2
"""Seconds until something is sent that nobody wants back."""


@pytest.fixture(scope="module")
def post() -> Iterator[Sink]:
    """The submission server."""
    with sink_beside() as one:
        one.refuse[NOBODY] = "550 5.1.1 nobody lives here"
        yield one


@pytest.fixture(scope="module")
def writer_user(dovecot: Dovecot) -> User:
    return dovecot.user()


@pytest.fixture(scope="module")
def writer(installed: Product, dovecot: Dovecot, writer_user: User, pictures: PictureServer, post: Sink) -> Person:
    """Somebody who can send; the colleagues are in the mailbox."""
    dovecot.load(writer_user.name, mailbox(pictures.picture))
    for name in ("Sent", "Drafts"):
        dovecot.doveadm("mailbox", "create", "-u", writer_user.name, "-s", name)
    person = installed.register("writer")
    servers = {
        protocol: {
            "host": host,
            "port": port,
            "tls": "none",
            "username": writer_user.name,
            "password": writer_user.password,
        }
        for protocol, host, port in (("imap", FULL, dovecot.port), ("smtp", "127.0.0.1", post.port))
    }
    person.browser.post("/api/accounts", {"email": writer_user.name, "display_name": "Wren Writer", **servers})
    wait_before_sending(person, SHORT)
    installed.until(lambda: state(person)["state"] == "live", seconds=40)
    return person


@pytest.fixture
def patient_writer(writer: Person) -> Iterator[Person]:
    """The same with the time to take something back that everybody has at first."""
    wait_before_sending(writer, DEFAULT.undo_window)
    yield writer
    wait_before_sending(writer, SHORT)


def wait_before_sending(person: Person, seconds: int) -> None:
    """In which it can be taken back."""
    person.browser._json("PATCH", "/api/settings", {"undo_window": seconds})


@pytest.fixture
def filed(dovecot: Dovecot, writer_user: User) -> Callable[[], list[str]]:
    """The subjects of what is in Sent on the server."""

    def look() -> list[str]:
        said = dovecot.doveadm("fetch", "-u", writer_user.name, "hdr.subject", "mailbox", "Sent")
        return [line.removeprefix("hdr.subject: ") for line in said.splitlines() if line.startswith("hdr.subject: ")]

    return look


def test_a_reply_is_written_at_its_conversation_and_sent_by_keys(
    page: Page, writer: Person, installed: Product, post: Sink, filed: Callable[[], list[str]]
) -> None:
    sign_in(page, writer)
    conversation(page, PLAN)
    page.keyboard.press("r")
    composer = page.get_by_role("region", name="Reply", exact=True)
    expect(text(page)).to_be_focused()
    expect(composer).to_contain_text("Cleo Moor")
    page.keyboard.type("The fourth is fine by me.")
    assert barriers(page) == []
    page.keyboard.press("Control+Enter")
    expect(toast(page)).to_contain_text("Sending…")
    expect(composer).to_have_count(0)

    mail, recipients = taken(installed, post, f"Re: {PLAN}")
    assert recipients == ["cleo@x.example"]
    assert mail["In-Reply-To"] == "<plan4@x.example>"
    plain = body(mail, "plain")
    assert plain.startswith("The fourth is fine by me.")
    assert "> Fourth and newest." in plain
    expect(page.get_by_text("Sent.", exact=True)).to_be_visible()
    installed.until(lambda: filed().count(f"Re: {PLAN}") == 1, seconds=30)
    mine = page.get_by_role("article", name="Wren Writer").frame_locator("iframe")
    expect(mine.get_by_text("The fourth is fine by me.")).to_be_visible()


def test_a_reply_to_all_goes_to_everybody(page: Page, writer: Person, installed: Product, post: Sink) -> None:
    sign_in(page, writer)
    conversation(page, "Note 7")
    page.keyboard.press("a")
    composer = page.get_by_role("region", name="Reply to all")
    expect(text(page)).to_be_focused()
    expect(composer).to_contain_text("Writer 7")
    expect(composer).to_contain_text("me@x.example")
    page.keyboard.type("Dear all")
    page.keyboard.press("Control+Enter")
    _, recipients = taken(installed, post, "Re: Note 7")
    assert sorted(recipients) == ["me@x.example", "w7@x.example"]


def test_a_mail_is_forwarded_with_a_file(page: Page, writer: Person, installed: Product, post: Sink) -> None:
    sign_in(page, writer)
    conversation(page, "Żółta łódź")
    page.keyboard.press("f")
    to = page.get_by_role("combobox", name="To")
    expect(to).to_be_focused()
    page.keyboard.type("Bo Hill <bo@x.example>,")
    file = {"name": "żagiel.txt", "mimeType": "text/plain", "buffer": b"sail " * 400_000}
    page.locator("[data-composer] input[type=file]").set_input_files(file)  # type: ignore[arg-type]  # as Playwright documents it
    expect(page.get_by_role("link", name="żagiel.txt")).to_be_visible()
    text(page).click()
    page.keyboard.type("See the sail.")
    assert barriers(page) == []
    page.keyboard.press("Control+Enter")

    mail, recipients = taken(installed, post, "Fwd: Żółta łódź")
    assert recipients == ["bo@x.example"]
    assert "Zażółć gęślą jaźń." in body(mail, "plain")
    (attached,) = mail.iter_attachments()
    assert attached.get_filename() == "żagiel.txt"
    assert attached.get_payload(decode=True) == file["buffer"]


def test_a_sent_mail_is_taken_back_and_goes_nowhere(
    page: Page, patient_writer: Person, installed: Product, post: Sink
) -> None:
    sign_in(page, patient_writer)
    begin(page, "ann@x.example")
    page.get_by_role("textbox", name="Subject").fill("Too early")
    text(page).click()
    page.keyboard.type("Half a thought")
    page.keyboard.press("Control+Enter")
    expect(toast(page).get_by_role("button", name="Undo")).to_be_visible()
    page.keyboard.press("z")
    expect(text(page)).to_contain_text("Half a thought")
    expect(toast(page)).to_contain_text("Not sent.")
    assert patient_writer.browser.get("/api/send?state=open")["sends"] == []

    # A later one takes as long as the first would have, and is the only one to arrive.
    page.get_by_role("textbox", name="Subject").fill("In time")
    page.keyboard.press("Control+Enter")
    taken(installed, post, "In time")
    assert [one for one in sent(post) if one["Subject"] == "Too early"] == []


def test_a_draft_survives_a_reload_and_two_tabs_never_overwrite_each_other(opened: Open, writer: Person) -> None:
    watched = opened()
    page = watched.page
    sign_in(page, writer)
    page.keyboard.press("c")
    page.get_by_role("textbox", name="Subject").fill("Two tabs")
    text(page).click()
    page.keyboard.type("From the first.")
    expect(page.locator("[data-saving=saved]")).to_contain_text("Saved")
    page.reload()
    expect(page.get_by_role("textbox", name="Subject")).to_have_value("Two tabs")
    expect(text(page)).to_contain_text("From the first.")

    other = page.context.new_page()
    other.goto(page.url)
    text(other).click()
    other.keyboard.press("Control+End")
    other.keyboard.type(" And the second.")
    expect(text(page)).to_contain_text(
        "From the first. And the second."
    )  # by the event, since nothing was written here

    page.route("**/api/drafts/*", lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    text(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Mine.")
    expect(page.get_by_text("Offline: kept here")).to_be_visible()
    text(other).click()
    other.keyboard.press("Control+End")
    other.keyboard.type(" Theirs.")
    expect(page.get_by_text("This draft was changed elsewhere")).to_be_visible()
    assert barriers(page) == []
    page.unroute("**/api/drafts/*")
    page.get_by_role("button", name="Keep mine").click()
    expect(text(other)).to_contain_text("And the second. Mine.")
    expect(text(other)).not_to_contain_text("Theirs.")

    page.keyboard.press("Escape")
    page.goto("/mail/s/drafts")
    page.get_by_role("button", name="Two tabs").click()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("button", name="Two tabs")).to_have_count(0)
    toast(page).get_by_role("button", name="Undo").click()
    expect(text(page)).to_contain_text("Mine.")
    watched.complaints[:] = [one for one in watched.complaints if "ERR_FAILED" not in one]


def test_what_the_server_refuses_is_told_and_goes_on_from_the_outbox(page: Page, writer: Person) -> None:
    sign_in(page, writer)
    begin(page, NOBODY)
    page.get_by_role("textbox", name="Subject").fill("To nobody")
    page.keyboard.press("Control+Enter")
    alert = page.get_by_role("alert").filter(has_text="“To nobody” was not sent.")
    alert.get_by_role("button", name="What to do").click()
    card = page.get_by_role("region", name="Needs you").get_by_role("listitem").filter(has_text="To nobody").first
    expect(card).to_contain_text("The server took none of the recipients.")
    expect(card).to_contain_text(f"{NOBODY} was refused: 550 5.1.1 nobody lives here")
    assert barriers(page) == []
    card.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Subject")).to_have_value("To nobody")
    expect(page.get_by_text("Nothing waits to be sent")).to_be_visible()


def test_a_mail_for_later_waits_in_the_outbox(page: Page, writer: Person) -> None:
    sign_in(page, writer)
    begin(page, "ann@x.example")
    page.get_by_role("textbox", name="Subject").fill("Good morning")
    page.get_by_role("button", name="Send later").click()
    page.get_by_role("menuitem", name="Tomorrow morning").click()
    expect(toast(page)).to_contain_text("To be sent")
    page.get_by_role("link", name="Outbox").click()
    card = page.get_by_role("region", name="To be sent later").get_by_role("listitem")
    expect(card).to_contain_text("08:00")
    card.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Subject")).to_have_value("Good morning")
    expect(page.get_by_role("link", name="Outbox")).to_have_attribute("aria-current", "page")
    assert writer.browser.get("/api/send?state=open")["sends"] == []


def test_on_a_phone_the_composer_is_a_page_and_back_keeps_the_draft(opened: Open, writer: Person) -> None:
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True).page
    sign_in(page, writer)
    row(page, "Note 8").tap()
    page.get_by_role("button", name="Reply", exact=True).tap()
    expect(text(page)).to_be_focused()
    page.keyboard.type("On the road")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    for name in ("Send", "Attach files", "Close and keep the draft", "Discard"):
        box = page.get_by_role("button", name=name, exact=True).bounding_box()
        assert box is not None
        assert box["height"] >= 44
    assert barriers(page) == []
    page.go_back()
    waiting = page.get_by_role("button", name="On the road")
    expect(waiting).to_be_visible()
    waiting.tap()
    expect(text(page)).to_contain_text("On the road")


def test_a_sender_gets_a_signature_that_new_mail_begins_with(page: Page, writer: Person) -> None:
    sign_in(page, writer)
    page.goto("/settings/accounts")
    page.get_by_role("button", name="Senders").click()
    page.get_by_role("button", name=re.compile("^Edit Wren Writer")).click()
    page.get_by_role("textbox", name="Signature").click()
    page.keyboard.press("Control+B")
    page.keyboard.type("Wren, by the window")
    assert barriers(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("region", name="Senders").get_by_text("Wren, by the window")).to_be_visible()
    page.goto("/mail")
    page.get_by_role("grid").wait_for()
    page.keyboard.press("c")
    expect(text(page).locator("b")).to_have_text("Wren, by the window")


def conversation(page: Page, subject: str) -> None:
    row(page, subject).click()
    expect(page.get_by_role("heading", name=subject)).to_be_visible()
    expect(page.get_by_role("button", name="Reply", exact=True)).to_be_visible()


def begin(page: Page, to: str) -> None:
    """A new mail."""
    page.keyboard.press("c")
    expect(page.get_by_role("combobox", name="To")).to_be_focused()
    page.keyboard.type(f"{to},")


def row(page: Page, subject: str) -> Locator:
    return page.get_by_role("row").filter(has_text=re.compile(rf"{re.escape(subject)}(?!\d)"))


def text(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text")


def toast(page: Page) -> Locator:
    return page.locator("[data-toast]").last


def sent(post: Sink) -> list[EmailMessage]:
    return [email.message_from_bytes(one.raw, policy=default) for one in post.taken]


def taken(installed: Product, post: Sink, subject: str) -> tuple[EmailMessage, list[str]]:
    """The one mail with this subject that the submission server took, and for whom."""

    def found() -> list[int]:
        return [nth for nth, one in enumerate(sent(post)) if one["Subject"] == subject]

    installed.until(found, seconds=40)
    (only,) = found()
    return sent(post)[only], post.taken[only].recipients


def body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())
