"""Whom the user writes to and hears from."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from contracts.facts import SpecialUse
from projections.recipients.projector import recipients
from tests.support.given import START, Account, Given, installed, mail


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str, account: Account) -> AsyncIterator[Given]:
    async with installed(database, [recipients]) as db:
        told = Given(db, [recipients], account.documents)
        for path, use in (("INBOX", SpecialUse.INBOX), ("Sent", SpecialUse.SENT), ("Junk", SpecialUse.JUNK)):
            await told(account.mailbox(path, use))
        await told(account.mailbox("Drafts", SpecialUse.DRAFTS), account.mailbox("Archive"))
        yield told


async def weights(given: Given) -> dict[str, int]:
    rows = await given.db.fetch("SELECT email, weight FROM recipients.known_recipients")
    return {row["email"]: row["weight"] for row in rows}


RECEIVED = mail(key="1", sender="Ann <Ann@x.example>", to="me@x.example")
SENT = mail(key="2", sender="me@x.example", to="ann@x.example, Bob <bob@x.example>", more="Cc: c@x.example\r\n")


async def test_who_is_written_to_weighs_more_than_who_writes(given: Given, account: Account) -> None:
    await given(account.arrived(RECEIVED), account.arrived(SENT, "Sent"))
    assert await weights(given) == {"ann@x.example": 4, "bob@x.example": 3, "c@x.example": 3}


async def test_a_letter_counts_once_whatever_copies_there_are(given: Given, account: Account) -> None:
    await given(account.arrived(RECEIVED), account.arrived(RECEIVED, "Archive"))
    await given(account.arrived(RECEIVED, "Archive", uid=9))
    assert await weights(given) == {"ann@x.example": 1}


async def test_junk_and_drafts_count_for_nothing_until_they_lie_elsewhere(given: Given, account: Account) -> None:
    await given(account.arrived(RECEIVED, "Junk"), account.arrived(SENT, "Drafts"))
    assert await weights(given) == {}
    await given(account.arrived(RECEIVED), account.arrived(SENT, "Sent"))
    assert await weights(given) == {"ann@x.example": 4, "bob@x.example": 3, "c@x.example": 3}


async def test_the_name_seen_last_stays(given: Given, account: Account) -> None:
    await given(account.arrived(RECEIVED))
    await given(account.arrived(mail(key="3", sender="Ann Nowak <ann@x.example>"), days=40))
    await given(account.arrived(mail(key="4", sender="ann@x.example"), days=35))
    row = await given.db.fetchrow("SELECT name, last_used_at FROM recipients.known_recipients")
    assert row is not None
    assert (row["name"], row["last_used_at"]) == ("Ann Nowak", START + timedelta(days=40))


async def test_what_is_no_address_is_not_known(given: Given, account: Account) -> None:
    await given(account.arrived(mail(key="5", sender="undisclosed")))
    await given(account.arrived(mail(key="6", sender=f"{'x' * 300}@x.example")))
    assert await weights(given) == {}


async def found_by(given: Given) -> dict[str, list[str]]:
    rows = await given.db.fetch(
        "SELECT email, array_agg(word ORDER BY word) AS words FROM recipients.words GROUP BY email"
    )
    return {row["email"]: row["words"] for row in rows}


async def test_they_are_found_by_the_words_of_the_name_that_they_have_now(given: Given, account: Account) -> None:
    await given(account.arrived(mail(key="7", sender="Żółć Łoś-Nowak <j.kow+tag@x.example>")))
    name = ["los", "los-nowak", "nowak", "zolc"]
    address = ["j", "j.kow+tag@x.example", "kow", "tag"]
    assert await found_by(given) == {"j.kow+tag@x.example": sorted([*name, *address])}
    await given(account.arrived(mail(key="8", sender="Eva <j.kow+tag@x.example>"), days=40))
    await given(account.arrived(mail(key="9", sender="j.kow+tag@x.example"), days=41))
    assert await found_by(given) == {"j.kow+tag@x.example": sorted(["eva", *address])}
    row = await given.db.fetchval("SELECT found_by FROM recipients.known_recipients")
    assert row == " j.kow+tag@x.example j kow tag eva"
