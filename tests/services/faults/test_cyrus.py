"""The same on a second implementation: Cyrus, which differs wherever the standards leave room."""

from contracts.facts import MailboxFound, SpecialUse
from tests.services.faults.mirror import Connect, fill, mirrored
from tests.support.cyrus_server import Cyrus
from tests.support.dovecot import User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_truth import encoded, quoted, session
from tests.support.processes import Installation, until


async def test_what_cyrus_holds_arrives_though_its_mailboxes_share_one_uidvalidity(
    mirror: Connect, cyrus: Cyrus, cyrus_user: User
) -> None:
    fill(cyrus, cyrus_user, 30)
    fill(cyrus, cyrus_user, 5, "Sent")
    fill(cyrus, cyrus_user, 5, "Archive")
    here = await mirror(cyrus, cyrus_user)
    await here.equal()
    uses = {fact.path: fact.special_use for fact in await here.facts() if isinstance(fact, MailboxFound)}
    assert uses == {  # which Cyrus writes in lower case
        "INBOX": SpecialUse.INBOX,
        "Sent": SpecialUse.SENT,
        "Drafts": SpecialUse.DRAFTS,
        "Trash": SpecialUse.TRASH,
        "Junk": SpecialUse.JUNK,
        "Archive": SpecialUse.ARCHIVE,
    }
    assert len({validity for path in uses for _, validity in await here.generations(path)}) < len(uses)


async def test_flags_keywords_and_expunges_follow_by_cyrus_log_of_changes(
    mirror: Connect, cyrus: Cyrus, cyrus_user: User
) -> None:
    fill(cyrus, cyrus_user, 30)
    async with FaultProxy(cyrus.port) as proxy:
        here = await mirror(cyrus, cyrus_user, via=proxy)
        await here.equal()
        change(cyrus, cyrus_user)
        await here.equal()
        assert b"* VANISHED (EARLIER) 7:9" in proxy.replies
        with session(cyrus, cyrus_user) as imap:
            imap.select("INBOX")
            imap.uid("STORE", "1:*", "-FLAGS", r"(\Seen $Forwarded)")  # not silent: Cyrus tells flags before UIDs
        await here.equal()


def change(cyrus: Cyrus, user: User) -> None:
    with session(cyrus, user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "2:4", "+FLAGS.SILENT", r"(\Flagged $Forwarded other)")
        imap.uid("STORE", "7:9", "+FLAGS.SILENT", r"(\Deleted)")
        imap.expunge()
        imap.append("INBOX", None, None, b"Subject: new\r\n\r\nOne more.\r\n")  # type: ignore[arg-type] # None: now


async def test_what_happens_while_cyrus_is_waited_for_is_told(
    pushed: Installation, cyrus: Cyrus, cyrus_user: User
) -> None:
    fill(cyrus, cyrus_user, 10)
    async with FaultProxy(cyrus.port) as proxy, mirrored(pushed, cyrus, cyrus_user, via=proxy) as here:
        await here.live()
        await until(lambda: b"+ idling" in proxy.replies)
        change(cyrus, cyrus_user)
        await here.equal(seconds=10)


async def test_what_happens_just_before_cyrus_is_waited_for_is_told(
    pushed: Installation, cyrus: Cyrus, cyrus_user: User
) -> None:
    fill(cyrus, cyrus_user, 10)
    async with FaultProxy(cyrus.port) as proxy:
        proxy.hold = b"IDLE\r\n"
        async with mirrored(pushed, cyrus, cyrus_user, via=proxy) as here:
            await proxy.held.wait()
            await here.live()
            change(cyrus, cyrus_user)
            proxy.release.set()
            await here.equal(seconds=10)


async def test_a_mailbox_that_is_deleted_and_made_again_is_another_one(
    mirror: Connect, cyrus: Cyrus, cyrus_user: User
) -> None:
    with session(cyrus, cyrus_user) as imap:
        imap.create("Lists")
    fill(cyrus, cyrus_user, 6, "Lists")
    here = await mirror(cyrus, cyrus_user)
    await here.equal()
    with session(cyrus, cyrus_user) as imap:
        imap.delete("Lists")
        imap.create("Lists")
    fill(cyrus, cyrus_user, 3, "Lists", size=50)
    await here.equal()


async def test_an_inbox_that_cyrus_numbers_anew_is_read_again(mirror: Connect, cyrus: Cyrus, cyrus_user: User) -> None:
    fill(cyrus, cyrus_user, 12)
    here = await mirror(cyrus, cyrus_user)
    await here.equal()
    cyrus.forget_index(cyrus_user)

    async def opened() -> bool:
        return len(await here.generations("INBOX")) > 1

    await until(opened)
    await here.equal()


async def test_cyrus_restarts_in_the_middle_of_a_fetch(mirror: Connect) -> None:
    with Cyrus() as server:
        user = server.user()
        fill(server, user, 60, size=10_000)
        async with FaultProxy(server.port) as proxy:
            proxy.chunk, proxy.delay = 20_000, 0.01
            here = await mirror(server, user, via=proxy)
            await until(lambda: len(proxy.replies) > 1_000_000)
            server.stop()
            assert len(proxy.replies) < 60 * 60_000
            proxy.delay = 0
            server.start()
            await here.equal()


async def test_odd_names_on_cyrus(mirror: Connect, cyrus: Cyrus, cyrus_user: User) -> None:
    names = ["R&D", "Wysłane", "a b", "quo'te", "(paren", "Sub/x y", "日本語/受信", "100%"]
    with session(cyrus, cyrus_user) as imap:
        made = {name for name in names if imap.create(quoted(encoded(name)))[0] == "OK"}
    assert {"R&D", "Wysłane", "Sub/x y", "日本語/受信"} <= made
    for name in made:
        fill(cyrus, cyrus_user, 1, encoded(name))
    here = await mirror(cyrus, cyrus_user)
    await here.equal()
    assert made <= (await here.shown()).keys()
