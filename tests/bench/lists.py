"""How long every list view and opening a thread take, for one user with 100,000 messages among 500,000.

python -m tests.bench.lists [--quick]
"""

import asyncio
import random
import sys
import urllib.parse
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

import asyncpg

from contracts import ids
from projections import sql
from projections.documents import memo
from projections.engine.follow import Folder
from projections.engine.projection import Projection
from projections.mail import reader, scopes
from projections.mail.projector import mail
from projections.mail.rows import ThreadPage
from projections.search import reader as search
from projections.search.projector import search as searched
from projections.sql import Pool
from services.embedded.browser import Browser
from services.embedded.up import Installation
from services.gateway.deps import as_user
from tests.bench.installed import installation, workplace
from tests.bench.population import Made, Person, document_of
from tests.bench.report import arguments, conclude, p95, table, timed
from tests.support.memory_log import MemoryLog

GOAL = "p95: 10 ms by cursor and 25 ms by deep offset in the database, 25 ms and 40 ms over HTTP"
TIMES = 41
ONLY_ONE = '"n4711"'  # a word of one message, quoted since an unfinished one finds what begins with it
LIMIT = 50
DATABASE = {"cursor": 10.0, "offset": 25.0, "thread": 10.0, "search": 25.0}
HTTP = {"cursor": 25.0, "offset": 40.0, "thread": 25.0, "search": 40.0}
T = TypeVar("T")
Row = tuple[str, str, float, float]


async def main(messages: int, users: int) -> None:
    with workplace() as place, installation(place) as running:
        browsers = [await asyncio.to_thread(registered, running, n) for n in range(users)]
        people = [Person(UUID(browser.get("/api/auth/me")["user_id"]), messages) for browser in browsers]
        async with asyncpg.create_pool(
            running.environment("admin")["DATABASE_URL"], min_size=1, max_size=4, init=sql.types
        ) as owner:
            for person in people:
                await fold(owner, person)
            await owner.execute("VACUUM ANALYZE")
            me, browser = people[0], browsers[0]
            async with asyncpg.create_pool(
                running.environment("gateway")["DATABASE_URL"], min_size=1, max_size=2
            ) as db:
                measure = Views(me, db, owner, browser)
                rows = [await measure.measured(view, how) for view, how in views(me)]
                found = await measure.search(ONLY_ONE)
    table(("view", "how", "database p95 ms", "HTTP p95 ms"), rows)
    worst = {how: max(row[2] for row in rows if row[1] == how) for how in DATABASE}
    worst_http = {how: max(row[3] for row in rows if row[1] == how) for how in HTTP}
    held = all(worst[how] <= DATABASE[how] and worst_http[how] <= HTTP[how] for how in DATABASE)
    rounded = [{how: round(ms, 1) for how, ms in each.items()} for each in (worst, worst_http)]
    conclude("lists", GOAL, {"database": rounded[0], "http": rounded[1]}, certain=found == 1, measured=held)


def registered(running: Installation, n: int) -> Browser:
    browser = Browser(running.address)
    person = {"localpart": f"reader{n}", "password": "a long enough one", "tz": "UTC", "language": "en"}
    browser.post("/api/auth/register", person)
    return browser


async def fold(owner: Pool, person: Person) -> None:
    """The person's mail into `mail` and `search`, as the projector would fold it after a backfill."""
    log = MemoryLog(person.facts(), partition=ids.partition(person.user_id, 4))
    for projection in (mail, searched):
        await drain(projection, log, owner)
    sys.stderr.write(f"{person.messages:,} messages of one user folded\n")


async def drain(projection: Projection, log: MemoryLog, owner: Pool) -> None:
    await owner.execute(
        "UPDATE control.positions SET sequence = 0 WHERE schema = $1 AND partition = $2", projection.name, log.partition
    )
    folder = Folder(projection, log, owner, Made())
    position = 0
    while (moved := await folder.advance(position, 1_000)) != position:
        position = moved
    await owner.execute("TRUNCATE control.outbox")


def views(me: Person) -> Sequence[tuple[str, str]]:
    account = me.accounts[0]
    lists = [
        "unified",
        f"account:{account}",
        f"mailbox:{me.mailbox(account, 'INBOX')}",
        f"mailbox:{me.mailbox(account, 'Lists')}",
        "special:all",
        "special:sent",
        "special:archive",
    ]
    words = [ONLY_ONE, "faktura", "zazolc inv", '"budget review"', "会議 ticket"]
    return [
        *((view, how) for view in lists for how in ("cursor", "offset")),
        ("unified", "thread"),
        *((word, "search") for word in words),
    ]


class Views:
    """Asks the same question of the database, as the gateway's role, and of the gateway."""

    def __init__(self, me: Person, db: Pool, owner: Pool, browser: Browser) -> None:
        self._me = me
        self._db = db
        self._owner = owner
        self._browser = browser

    async def measured(self, view: str, how: str) -> Row:
        """The p95 of one view, at random places of its list."""
        if how == "search":
            return await self._row(view, how, lambda _: self.search(view), lambda _: f"?view=search&q={quoted(view)}")
        dice = random.Random(view + how)
        scope = scopes.view(self._me.user_id, view)
        total = (await self._page(scope)).total
        offsets = [dice.randrange(max(total - LIMIT, 1)) for _ in range(TIMES)]
        pages = [await self._page(scope, offset) for offset in offsets]
        name = f"{view.partition(':')[0]} ({total:,} threads)"
        if how == "thread":
            threads = [dice.choice(page.threads).id for page in pages]
            await self._remember(threads)
            return await self._row(
                name, how, lambda n: self._conversation(threads[n]), lambda n: f"/{threads[n]}?sort=desc&expand=1"
            )
        if how == "offset":
            return await self._row(
                name, how, lambda n: self._page(scope, offsets[n]), lambda n: f"?view={view}&offset={offsets[n]}"
            )
        cursors = [reader.encode(page.threads[0]) for page in pages]
        return await self._row(
            name, how, lambda n: self._page(scope, 0, cursors[n]), lambda n: f"?view={view}&cursor={cursors[n]}"
        )

    async def _row(
        self, name: str, how: str, ask: Callable[[int], Awaitable[object]], path: Callable[[int], str]
    ) -> Row:
        asked = await timed(TIMES, ask)
        answered = await timed(TIMES, lambda n: asyncio.to_thread(self._browser.get, f"/api/threads{path(n)}"))
        return name, how, p95(asked), p95(answered)

    async def _page(self, scope: UUID, offset: int = 0, cursor: str | None = None) -> ThreadPage:
        async with as_user(self._db, self._me.user_id) as db:
            return await reader.newest(db, self._me.user_id, scope, limit=LIMIT, offset=offset, cursor=cursor)

    async def _conversation(self, thread: UUID) -> None:
        async with as_user(self._db, self._me.user_id) as db:
            await reader.conversation(db, self._me.user_id, thread)

    async def search(self, words: str) -> int:
        """How many threads of the first page."""
        async with as_user(self._db, self._me.user_id) as db:
            return len((await search.threads(db, self._me.user_id, words, limit=LIMIT)).threads)

    async def _remember(self, threads: Sequence[UUID]) -> None:
        """The documents of the threads that will be opened."""
        statement = "SELECT blob FROM mail.messages WHERE user_id = $1 AND thread_id = ANY($2)"
        blobs = [row["blob"] for row in await self._owner.fetch(statement, self._me.user_id, threads)]
        await memo.put(self._owner, self._me.user_id, {blob: memo.encode(document_of(blob)) for blob in blobs})


def quoted(words: str) -> str:
    return urllib.parse.quote(words)


if __name__ == "__main__":
    chosen = arguments(__doc__ or "")
    asyncio.run(main(8_000, 2) if chosen.quick else main(100_000, 5))
