"""Finding mail by its words."""

from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from contracts.facts import AccountRemoved, ContentChanged, MessageArrived, SpecialUse
from projections.engine.rebuild import rebuild
from projections.mail.errors import BadCursor
from projections.mail.projector import mail as mail_projection
from projections.search import reader
from projections.search.projector import search as search_projection
from projections.search.query import wanted
from projections.search.rows import SearchPage
from projections.search.words import words
from tests.support.given import Account, Given, installed, mail
from tests.support.memory_log import MemoryDocuments

BOTH = [mail_projection, search_projection]


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def given(database: str, account: Account) -> AsyncIterator[Given]:
    async with installed(database, BOTH) as db:
        told = Given(db, BOTH, account.documents)
        await told(
            account.mailbox("INBOX", SpecialUse.INBOX),
            account.mailbox("Trash", SpecialUse.TRASH),
            account.mailbox("Junk", SpecialUse.JUNK),
        )
        yield told


async def ask(given: Given, user: UUID, text: str, *, limit: int = 50, cursor: str | None = None) -> SearchPage:
    """As the gateway does: its role, and the user named to the transaction."""
    async with given.db.acquire() as db, db.transaction():
        await db.execute(f"SET LOCAL ROLE webmail_gateway; SET LOCAL app.user_id = '{user}'")
        return await reader.threads(db, user, text, limit=limit, cursor=cursor)


async def found(given: Given, account: Account, text: str) -> list[str]:
    return [thread.subject for thread in (await ask(given, account.user_id, text)).threads]


LETTERS = [
    mail("Umowa najmu", key="1", body="Zażółć gęślą jaźń, 100 zł", sender="Łucja Żak <lucja@żak.example>"),
    mail(
        "Invoice 2024/12",
        key="2",
        days=1,
        body="see faktura_2024_12.pdf",
        more="X-Y: z\r\nContent-Type: text/plain\r\n",
    ),
    mail("会議の予定", key="3", days=2, body="東京都庁で会います"),
    mail("Quick brown fox", key="4", days=3, body="the fox jumps over the lazy dog"),
    mail("Brown quick fox", key="5", days=4, body="nothing to see; ORD-1234567"),
]


ASKED = [
    ("umowa", ["Umowa najmu"]),
    ("UMOWA NAJMU", ["Umowa najmu"]),
    ("zolc", []),
    ("zazolc gesla", ["Umowa najmu"]),
    ("lucja", ["Umowa najmu"]),
    ("Łucja Żak", ["Umowa najmu"]),
    ("lucja@zak.example", ["Umowa najmu"]),
    ("inv", ["Invoice 2024/12"]),
    ("inv 2024", []),
    ("invoice fakt", ["Invoice 2024/12"]),
    ("faktura_2024_12.pdf", ["Invoice 2024/12"]),
    ("会議", ["会議の予定"]),
    ("会議の予定", ["会議の予定"]),
    ("東京都庁", ["会議の予定"]),
    ("東庁", []),
    ("議", ["会議の予定"]),
    ("fox", ["Brown quick fox", "Quick brown fox"]),
    ("quick fox", ["Brown quick fox", "Quick brown fox"]),
    ('"quick brown"', ["Quick brown fox"]),
    ('"quick bro', ["Quick brown fox"]),
    ('"quick bro"', []),
    ("ord-1234567", ["Brown quick fox"]),
    ("1234567", ["Brown quick fox"]),
    ("ORD-123", ["Brown quick fox"]),
    ("fox umowa", []),
    ("", []),
    ('"" !! & | <-> :* \'\\', []),
]


async def test_words_find_the_threads_that_hold_them_all(given: Given, account: Account) -> None:
    await given([account.arrived(raw) for raw in LETTERS])
    for text, subjects in ASKED:
        assert await found(given, account, text) == subjects, text


async def test_what_lies_in_trash_or_junk_is_not_found(given: Given, account: Account) -> None:
    await given(account.arrived(LETTERS[0], "Trash"), account.arrived(LETTERS[3], "Junk"), account.arrived(LETTERS[4]))
    assert await found(given, account, "umowa") == []
    assert await found(given, account, "fox") == ["Brown quick fox"]


async def test_only_the_named_users_mail_is_found(given: Given, account: Account) -> None:
    stranger = Account()
    stranger.documents = account.documents
    await given(account.arrived(LETTERS[3]), stranger.mailbox("INBOX"), stranger.arrived(LETTERS[4]))
    assert await found(given, account, "fox") == ["Quick brown fox"]
    assert await found(given, stranger, "fox") == ["Brown quick fox"]
    async with given.db.acquire() as db, db.transaction():
        await db.execute(f"SET LOCAL ROLE webmail_gateway; SET LOCAL app.user_id = '{stranger.user_id}'")
        assert (await reader.threads(db, account.user_id, "fox", limit=9)).threads == []


async def test_new_content_replaces_the_old(given: Given, account: Account) -> None:
    await given(account.arrived(LETTERS[3]))
    fresh = account.arrived(LETTERS[0])
    assert isinstance(fresh, MessageArrived)
    message = account.message(LETTERS[3])
    await given(account.fact(ContentChanged, message_id=message, blob=fresh.blob, size=fresh.size, evidence=""))
    assert await found(given, account, "fox") == []
    assert await found(given, account, "umowa") == ["Umowa najmu"]


async def test_nothing_of_a_removed_account_is_found(given: Given, account: Account) -> None:
    await given(account.arrived(LETTERS[3]), account.fact(AccountRemoved))
    assert await found(given, account, "fox") == []
    assert await given.db.fetchval("SELECT count(*) FROM search.docs") == 0


@pytest.mark.parametrize("window", [3, 12, 2000], ids=["by the index of words", "by both", "among the newest"])
async def test_pages_hold_every_thread_once(
    given: Given, account: Account, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    """Threads whose newest match stood on an earlier page have older matches too."""
    monkeypatch.setattr(reader, "WINDOW", window)
    for n in range(20):
        await given(
            account.arrived(mail(f"Topic {n}", key=f"a{n}", days=n % 7, body="needle")),  # many at the same time
            account.arrived(mail(f"Re: Topic {n}", key=f"b{n}", answers=f"a{n}", days=5 + n % 3, body="needle too")),
        )
    seen: list[UUID] = []
    cursor = None
    while True:
        page = await ask(given, account.user_id, "needle", limit=3, cursor=cursor)
        seen += [thread.id for thread in page.threads]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 20
    assert page.total_exact
    assert page.total == 20


async def test_a_search_finds_as_before_once_a_rebuild_is_switched_to(given: Given, account: Account) -> None:
    await given([account.arrived(raw) for raw in LETTERS])
    await rebuild(search_projection, [given.log], given.db, MemoryDocuments(account.documents), compare=True)
    assert await found(given, account, "fox") == ["Brown quick fox", "Quick brown fox"]
    await given(account.arrived(mail("Red fox", key="9", days=6)))
    assert await found(given, account, "fox") == ["Red fox", "Brown quick fox", "Quick brown fox"]


async def test_a_cursor_of_nobody_is_refused(given: Given, account: Account) -> None:
    with pytest.raises(BadCursor):
        await ask(given, account.user_id, "fox", cursor="nonsense")


async def test_a_body_of_any_size_is_indexed(given: Given, account: Account) -> None:
    body = " ".join(f"w{n} common" for n in range(60_000))
    await given(account.arrived(mail("Long", key="1", body=body)))
    assert await found(given, account, "w100") == ["Long"]


async def test_a_body_of_more_bytes_of_words_than_an_index_takes_is_indexed_at_its_beginning(
    given: Given, account: Account
) -> None:
    """Gothic letters are four bytes each, and a word has forty of them."""
    digits = [chr(0x10330 + n) for n in range(10)]
    body = " ".join("".join(digits[int(d)] for d in f"{n:040}") for n in range(9_000))
    await given(
        account.arrived(mail("Wulfila", key="1", body=body, more="Content-Type: text/plain; charset=utf-8\r\n"))
    )
    assert await found(given, account, body[:40]) == ["Wulfila"]


async def test_a_word_said_often_is_found_in_its_phrase(given: Given, account: Account) -> None:
    await given(account.arrived(mail("Echo", key="1", body="hello world " + "again " * 1_000)))
    assert await found(given, account, '"world again"') == ["Echo"]


def test_words_are_folded_the_same_whatever_their_form() -> None:
    assert said("Zażółć GĘŚLĄ") == ["zazolc", "gesla"]
    assert said("Z\u0307o\u0301\u0142w") == said("Żółw") == ["zolw"]
    assert said("\uff26\uff35\uff2c\uff2c \ufb01ne Straße") == ["full", "fine", "strasse"]
    assert said("“typographic” quotes—and dashes\u00a0…") == ["typographic", "quotes", "and", "dashes"]
    assert said("가나다") == ["가나", "나다", "다"]
    assert said("x" * 100) == ["x" * 40]
    assert said("ж" * 100) == ["ж" * 40]


def said(text: str) -> list[str]:
    return [word.decode() for word in words(text)]


def test_a_query_is_bounded() -> None:
    asked = wanted(UUID(int=1), "a-b-c " * 10_000)
    assert asked is not None
    assert len(asked.words) < 20_000


async def test_readers_never_see_the_table_of_another_user_through_the_functions(
    given: Given, account: Account
) -> None:
    await given(account.arrived(LETTERS[3]))
    async with given.db.acquire() as db, db.transaction():
        await db.execute("SET LOCAL ROLE webmail_gateway")
        asked = wanted(account.user_id, "fox")
        assert asked is not None
        fox = "$2::text::tsquery"
        for call in (f"matches($1, {fox}, {fox})", f"matches_among_newest($1, {fox}, now(), $1, 9, 9)"):
            assert await db.fetch(f"SELECT * FROM search.{call}", account.user_id, asked.words) == []
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await db.execute("DELETE FROM search.docs")


async def test_a_match_costs_no_look_at_all_messages_of_somebody_whom_the_planner_does_not_know(
    given: Given, account: Account
) -> None:
    """Statistics come minutes after a first sync."""
    await given([account.arrived(mail(f"Letter {n}", key=f"k{n}", body="the same")) for n in range(400)])
    asked = wanted(account.user_id, "same")
    assert asked is not None
    newest = (account.user_id, asked.words, reader.END[0], reader.LAST, reader.WINDOW, 250)
    for statement, arguments in (
        (reader.query.among_newest, newest),
        (reader.query.everywhere, (account.user_id, asked.words, asked.sure)),
    ):
        async with given.db.acquire() as db, db.transaction():
            await db.execute(f"SET LOCAL app.user_id = '{account.user_id}'")
            plan = "\n".join(row[0] for row in await db.fetch(f"EXPLAIN (ANALYZE) {statement}", *arguments))
        assert "Seq Scan on messages" not in plan, plan
        assert "Rows Removed by Join Filter" not in plan, plan
