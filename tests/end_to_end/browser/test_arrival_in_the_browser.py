"""New mail is in the list that somebody looks at, within a second and without a reload, and moves nothing under their eyes."""

import sys
import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.browser.conftest import sign_in
from tests.support.browser import PATIENCE
from tests.support.dovecot import Dovecot, User
from tests.support.installation import Person

expect.set_options(timeout=PATIENCE)
UNDER_THE_EYES = "document.elementFromPoint(400, 450)?.closest('a')?.getAttribute('href')"
SAMPLES, GOAL = 20, 1.0
"""The goal: p95 in seconds, from handing the message to the mail server until its row is in the page."""


@pytest.mark.usefixtures("alone")
def test_mail_is_in_the_list_within_a_second(page: Page, busy: Person, dovecot: Dovecot, busy_user: User) -> None:
    sign_in(page, busy)
    page.evaluate("globalThis.sameDocument = true")
    for attempt in (1, 2):  # others may have the machine for a while
        taken = sorted(arrival(page, dovecot, busy_user, f"{attempt} of {n}") for n in range(SAMPLES))
        p95 = taken[int(0.95 * SAMPLES) - 1]
        sys.stdout.write(f"arrivals in ms: {[round(one * 1000) for one in taken]}, p95 {p95:.3f} s\n")
        if p95 <= GOAL:
            break
    assert p95 <= GOAL
    assert page.evaluate("globalThis.sameDocument")


def test_mail_that_arrives_moves_nothing_under_the_readers_eyes(
    page: Page, busy: Person, dovecot: Dovecot, busy_user: User
) -> None:
    sign_in(page, busy)
    grid = page.get_by_role("grid")
    grid.evaluate("list => list.scrollTo({top: 1440})")
    address = awaited(page, UNDER_THE_EYES)
    there = page.locator(f"a[href='{address}']")
    before = there.bounding_box()
    count = int(grid.get_attribute("aria-rowcount") or 0)
    deliver(dovecot, busy_user, "While somebody reads")
    expect(grid).to_have_attribute("aria-rowcount", str(count + 1))
    assert there.bounding_box() == before


def arrival(page: Page, dovecot: Dovecot, user: User, number: str) -> float:
    """Seconds until the first row of the page says so."""
    subject = f"Arrival {number}"
    page.evaluate(
        """subject => {
            globalThis.shownAt = null;
            const observer = new MutationObserver(() => {
                const rows = [...document.querySelectorAll("[role=row]")];
                if (!rows.some((row) => row.textContent.includes(subject))) return;
                globalThis.shownAt = Date.now();
                observer.disconnect();
            });
            observer.observe(document.body, {childList: true, subtree: true, characterData: true});
        }""",
        subject,
    )
    handed_over = time.time()
    deliver(dovecot, user, subject)
    return float(awaited(page, "globalThis.shownAt")) / 1000 - handed_over


def awaited(page: Page, expression: str) -> Any:
    """What it is once it is something; playwright's own waiting needs an `eval`, which the page forbids."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not (found := page.evaluate(expression)):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)
    return found


def deliver(dovecot: Dovecot, user: User, subject: str) -> None:
    head = f"From: Dora <dora@x.example>\r\nTo: me@x.example\r\nSubject: {subject}\r\nMessage-ID: <{time.time_ns()}@x.example>\r\n"
    dovecot.deliver(user.name, f"{head}\r\nJust now.\r\n".encode())
