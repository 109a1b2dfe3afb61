"""What a person does with the product, in a real browser over the whole installation."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.browser.conftest import Open, sign_in
from tests.end_to_end.browser.letters import PICTURE, PLAN, letter
from tests.support.browser import PATIENCE, PHONE, barriers
from tests.support.dovecot import FULL, Dovecot, Mail, User
from tests.support.installation import PASSWORD, Person, Product
from tests.support.picture_server import PictureServer

expect.set_options(timeout=PATIENCE)
MANY = 1500


def test_a_newcomer_connects_an_account_and_reads_while_it_syncs(
    page: Page, installed: Product, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, [numbered(n) for n in range(MANY)])
    page.goto("/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert barriers(page) == []
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Handle").fill("newcomer")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()

    page.get_by_label("E-mail address").fill(mail_user.name)
    page.get_by_label("Password").fill(mail_user.password)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("This account can send").uncheck()
    page.get_by_label("Server", exact=True).fill(FULL)
    page.get_by_label("Port").fill(str(dovecot.port))
    page.get_by_label("Security").select_option("none")
    page.get_by_role("button", name="Test").click()
    page.get_by_role("button", name="Add this account").click()
    page.get_by_role("link", name="Start reading now").click()
    expect(page.get_by_role("row").first).to_contain_text(f"Number {MANY - 1}")
    page.get_by_role("row").first.click()
    expect(page.get_by_role("article")).to_contain_text(f"Text {MANY - 1}.")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", str(MANY))

    expect(page.get_by_role("banner")).to_contain_text("Up to date")
    page.get_by_role("button", name="You: newcomer").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/mail")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.get_by_text(f"Number {MANY - 1}").count() == 0

    page.get_by_label("Handle").fill("newcomer")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("row").first).to_contain_text(f"Number {MANY - 1}")


def test_remote_images_are_loaded_only_once_the_reader_allows_it(
    page: Page, reader: Person, pictures: PictureServer
) -> None:
    sign_in(page, reader)
    row(page, PICTURE).click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Look at this.")).to_be_visible()
    expect(page.get_by_text("1 remote image blocked")).to_be_visible()
    assert pictures.loaded == []
    page.get_by_role("button", name="Load").click()
    picture = frame.get_by_role("img", name="a hill")
    expect(picture).to_have_js_property("naturalWidth", 1)
    assert pictures.loaded == ["/hill.png"]
    expect(page.get_by_text("1 remote image blocked")).to_have_count(0)


def test_the_order_turns_and_the_composer_stays_beside_the_newest_message(page: Page, reader: Person) -> None:
    sign_in(page, reader)
    row(page, PLAN).click()
    messages = page.get_by_role("article")
    expect(messages).to_have_count(4)
    expect(messages.last).to_contain_text("Fourth and newest.")
    anchor = page.locator("li", has=page.get_by_text("Fourth and newest.")).locator("[data-composer-anchor]")
    expect(anchor).to_have_count(1)
    expect(page.locator("[data-composer-anchor]")).to_have_count(1)

    page.get_by_role("button", name="Oldest first").click()
    expect(messages.first).to_contain_text("Fourth and newest.")
    expect(messages.last).to_contain_text("Ann Shore")
    expect(anchor).to_have_count(1)
    expect(page.locator("[data-composer-anchor]")).to_have_count(1)
    page.get_by_role("button", name="Newest first").click()
    expect(messages.last).to_contain_text("Fourth and newest.")
    expect(anchor).to_have_count(1)


def test_everything_is_read_with_the_keyboard_alone(page: Page, reader: Person) -> None:
    sign_in(page, reader)
    expect(row(page, PLAN)).to_be_visible()
    page.keyboard.press("j")
    expect(focused(page)).to_contain_text(PICTURE)
    page.keyboard.press("k")
    expect(focused(page)).to_contain_text(PLAN)
    page.keyboard.press("o")
    messages = page.get_by_role("article")
    expect(messages.nth(3)).to_be_focused()
    page.keyboard.press("k")
    expect(messages.nth(2)).to_be_focused()
    page.keyboard.press("o")
    expect(focused(page).get_by_role("button", name="Close the message of Ann Shore")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("Choose a conversation to read it here.")).to_be_visible()
    expect(focused(page)).to_contain_text(PLAN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=PLAN)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Choose a conversation to read it here.")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).not_to_be_focused()


def test_what_is_searched_for_is_found_and_opens(page: Page, reader: Person) -> None:
    sign_in(page, reader)
    page.keyboard.press("/")
    page.keyboard.type("gęślą")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Search: gęślą")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(1)
    row(page, "Żółta łódź").click()
    expect(page.get_by_role("article")).to_contain_text("Zażółć gęślą jaźń.")
    page.get_by_role("searchbox").fill("nowhere-to-be-found")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing matches “nowhere-to-be-found”.")).to_be_visible()
    page.get_by_role("button", name="Clear the search").click()
    expect(row(page, PLAN)).to_be_visible()


def test_dark_colours_reach_the_page_and_the_mail(opened: Open, reader: Person) -> None:
    page = opened(color_scheme="dark").page
    sign_in(page, reader)
    row(page, PICTURE).click()
    expect(page.frame_locator("iframe").get_by_text("Look at this.")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 21, 22)"
    sheet = page.frames[1].evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert sheet == "rgb(25, 28, 29)"
    assert barriers(page) == []


def test_on_a_phone_there_is_one_column_and_back_keeps_the_place(opened: Open, reader: Person) -> None:
    page = opened(viewport=PHONE, has_touch=True, is_mobile=True).page
    sign_in(page, reader)
    grid = page.get_by_role("grid")
    expect(row(page, PLAN)).to_be_visible()
    assert barriers(page) == []
    grid.evaluate("list => list.scrollTo({top: 900})")
    row(page, "Note 14").tap()
    expect(page.get_by_role("article")).to_contain_text("Text 14")
    expect(grid).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("button", name="Back to the list").tap()
    expect(row(page, "Note 14")).to_be_in_viewport()
    assert grid.evaluate("list => list.scrollTop") == 900


def test_everything_is_said_in_polish(page: Page, installed: Product, reader: Person) -> None:
    sign_in(page, reader)
    page.goto("/settings/profile")
    page.get_by_label("Language").select_option("pl")
    expect(page.get_by_label("Język")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    page.goto("/mail")
    row(page, "Żółta łódź").click()
    expect(page.get_by_role("article")).to_contain_text("Zażółć gęślą jaźń.")
    page.goto("/settings/profile")
    page.get_by_label("Język").select_option("en")
    expect(page.get_by_label("Language")).to_be_visible()


def test_nothing_keeps_anybody_out_of_the_list_or_a_conversation(page: Page, reader: Person) -> None:
    sign_in(page, reader)
    expect(row(page, PLAN)).to_be_visible()
    assert barriers(page) == []
    row(page, PLAN).click()
    expect(page.get_by_role("article")).to_have_count(4)
    assert barriers(page) == []


def numbered(n: int) -> Mail:
    return letter(f"Number {n}", key=f"number{n}", hours_ago=MANY - n, body=f"Text {n}.")


def row(page: Page, subject: str) -> Locator:
    return page.get_by_role("row").filter(has_text=re.compile(rf"{re.escape(subject)}(?!\d)")).first


def focused(page: Page) -> Locator:
    return page.locator(":focus")
