"""Recipients are suggested: by the beginnings of what they are called, the likeliest first, quickly however many there are."""

import json
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from contracts.facts import SpecialUse
from projections.recipients import reader
from projections.recipients.words import words
from projections.sql import Connection, Pool
from services.gateway.deps import Gateway, as_user
from tests.services.gateway.conftest import Browser, Mail
from tests.support.given import mail

MANY = 20_000
GOAL = 0.020
BOUND = 0.250
"""Seconds: what is wanted at the 95th percentile, and what half of them may take on a machine that does much else."""

FIRST = ("anna", "jan", "zofia", "łukasz", "bob", "carl", "dora", "emil", "frank", "grace")
LAST = ("nowak", "kowalski", "smith", "jones", "garcía", "müller", "ito", "khan", "silva", "novák")


@pytest.fixture
async def inbox(browser: Browser, mail_of: Callable[..., Awaitable[Mail]]) -> Mail:
    made = await mail_of(await browser.enter("anna"))
    await made.told(made.account.mailbox("Sent", SpecialUse.SENT))
    return made


async def suggested(browser: Browser, q: str) -> list[str]:
    answer = await browser.get("/api/recipients/suggest", params={"q": q})
    assert answer.status_code == 200, answer.text
    return [one["email"] for one in answer.json()["recipients"]]


async def wrote(inbox: Mail, *people: str) -> None:
    for n, person in enumerate(people):
        await inbox.arrived(mail(key=f"w{n}{person[:9]}", sender=person))


@pytest.mark.parametrize(
    "q",
    [
        "ł",
        "los",
        "ŁOŚ",
        "zol",
        "żółć",
        "now",
        "łoś-n",
        "j.k",
        "j",
        "kow",
        "j.kow@x",
        "J.KOW@X.EXAMPLE",
        "zolc now",
        "now j.kow@",
    ],
)
async def test_they_are_found_by_the_beginning_of_any_word_without_accents(
    browser: Browser, inbox: Mail, q: str
) -> None:
    await wrote(inbox, "Żółć Łoś-Nowak <j.kow@x.example>", "Bob <bob@y.example>")
    assert await suggested(browser, q) == ["j.kow@x.example"]


@pytest.mark.parametrize(
    "q", ["", " ", "ow", "x.example", "zolc bob", "%", "_", "\0", "*", '"', "example", "\U0010ffff"]
)
async def test_what_begins_nothing_finds_nothing(browser: Browser, inbox: Mail, q: str) -> None:
    await wrote(inbox, "Żółć Łoś-Nowak <j.kow@x.example>", "Bob <bob@y.example>")
    assert await suggested(browser, q) == []


async def test_who_is_written_to_comes_before_who_writes(browser: Browser, inbox: Mail) -> None:
    await wrote(inbox, "ann.a@x.example", "ann.b@x.example")
    await inbox.arrived(mail(key="s", sender="anna@example.org", to="ann.b@x.example"), "Sent")
    assert await suggested(browser, "ann") == ["ann.b@x.example", "ann.a@x.example"]


async def test_who_was_written_to_lately_comes_before_who_was_often_long_ago(
    browser: Browser, inbox: Mail, owner: Pool
) -> None:
    await wrote(inbox, "ann.often@x.example", "ann.lately@x.example")
    ages = {"ann.often@x.example": (12, 300), "ann.lately@x.example": (1, 10)}
    for email, (weight, days) in ages.items():
        await owner.execute(
            "UPDATE recipients.known_recipients SET weight = $2, last_used_at = now() - $3 * interval '1 day' WHERE email = $1",
            email,
            weight,
            days,
        )
    assert await suggested(browser, "ann") == ["ann.lately@x.example", "ann.often@x.example"]
    await owner.execute("UPDATE recipients.known_recipients SET last_used_at = now() - interval '100 years'")
    await owner.execute(
        "UPDATE recipients.known_recipients SET last_used_at = now() + interval '1 year' WHERE weight = 12"
    )
    assert await suggested(browser, "ann") == ["ann.often@x.example", "ann.lately@x.example"]


async def test_own_addresses_come_last(browser: Browser, inbox: Mail) -> None:
    for n in range(3):
        await inbox.arrived(mail(key=f"own{n}", sender="x@x.example", to="Anna <anna@example.org>"), "Sent")
    await wrote(inbox, "ann@x.example")
    assert await suggested(browser, "ann") == ["ann@x.example", "anna@example.org"]


async def test_ten_are_enough(browser: Browser, inbox: Mail) -> None:
    await wrote(inbox, *(f"ann{n}@x.example" for n in range(12)))
    assert len(await suggested(browser, "ann")) == 10


async def test_nobody_is_suggested_from_anothers_mail(
    browser: Browser, inbox: Mail, open_browser: Callable[..., Browser]
) -> None:
    await wrote(inbox, "ann@x.example")
    bob = open_browser()
    await bob.enter("bob")
    assert await suggested(bob, "ann") == []


@pytest.fixture
async def crowd(inbox: Mail, owner: Pool) -> None:
    """Anna knows a great many, and another user as well."""
    people = [
        (f"{FIRST[n % 10]}.{LAST[n // 10 % 10]}{n}@x{n % 97}.example", f"{FIRST[n % 10]} {LAST[n // 10 % 10]}".title())
        for n in range(MANY)
    ]
    for whom in (inbox.account.user_id, uuid4()):
        await owner.executemany(
            "INSERT INTO recipients.known_recipients (user_id, email, name, weight, last_used_at, found_by) "
            "VALUES ($1, $2, $3, $4, now() - $5 * interval '1 day', $6)",
            [
                (whom, email, name, n % 50 + 1, n % 900, "".join(f" {word}" for word in words(email, name)))
                for n, (email, name) in enumerate(people)
            ],
        )
        found = [(whom, word, email) for email, name in people for word in words(email, name)]
        await owner.copy_records_to_table("words", schema_name="recipients", records=found)
    await owner.execute("ANALYZE recipients.words, recipients.known_recipients")


async def pages(db: Connection, statement: str, *given: Any) -> int:
    """That a statement looks at."""
    (row,) = await db.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", *given)
    plan = json.loads(row[0])[0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


async def test_a_few_pages_of_an_index_tell_who_is_meant_among_twenty_thousand(
    inbox: Mail, crowd: None, parts: Gateway
) -> None:
    user, query = inbox.account.user_id, reader.query
    async with as_user(parts.db, user) as db:
        for q in ("zofia.silva1", "zzz"):
            assert await pages(db, query.how_common, user, q, q + "\U0010ffff", reader.FEW) < 400
            assert await pages(db, query.among_few, user, q, q + "\U0010ffff", [f"% {q}%"], 10) < 2_000
        for q in ("a", "anna", "now"):
            assert await pages(db, query.how_common, user, q, q + "\U0010ffff", reader.FEW) < 400
            assert await pages(db, query.among_all, user, [f"% {q}%"], 10) < 5_000


async def test_twenty_thousand_are_searched_in_time(inbox: Mail, crowd: None, parts: Gateway) -> None:
    times = []
    async with as_user(parts.db, inbox.account.user_id) as db:
        for q in ("a", "an", "now", "lukasz", "anna nowak", "anna.nowak1", "zzz", "g", "garcia", "j s") * 8:
            began = time.perf_counter()
            found = await reader.suggest(db, inbox.account.user_id, q)
            times.append(time.perf_counter() - began)
            assert len(found) == (0 if q == "zzz" else 10), q
    slow = statistics.quantiles(times, n=20)[-1]
    print(f"suggested within {slow * 1000:.1f} ms of {GOAL * 1000:.0f}")  # noqa: T201 - what was measured
    assert statistics.median(times) < BOUND
