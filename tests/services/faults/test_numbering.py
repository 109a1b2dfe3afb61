"""The server numbers its messages or its changes anew: nothing is lost, nothing is downloaded for nothing, ids stay."""

import time
from collections import defaultdict
from uuid import UUID

from contracts.facts import MessageArrived
from tests.services.faults.mirror import Connect, Mirror, mails
from tests.support.dovecot import Dovecot, User
from tests.support.fault_proxy import FaultProxy
from tests.support.imap_truth import session
from tests.support.processes import until


async def ids_by_generation(here: Mirror) -> dict[int, set[UUID]]:
    found: defaultdict[int, set[UUID]] = defaultdict(set)
    for fact in await here.facts():
        if isinstance(fact, MessageArrived):
            found[fact.generation].add(fact.message_id)
    return found


def renumber(dovecot: Dovecot, user: User, uidvalidity: int) -> None:
    dovecot.doveadm("mailbox", "update", "-u", user.name, "--uid-validity", str(uidvalidity), "INBOX")


async def until_generation(here: Mirror, *validities: int) -> None:
    """Return when the inbox has been opened under these, one after the other."""

    async def opened() -> bool:
        return [validity for _, validity in await here.generations("INBOX")][-len(validities) :] == [*validities]

    await until(opened)


async def test_a_uidvalidity_that_goes_forwards_backwards_and_to_where_it_was(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(20))
    here = await mirror(dovecot, mail_user)
    await here.equal()
    ((_, first),) = await here.generations("INBOX")
    validities = [first]
    for validity in (4_000_000_000, 7, first):
        renumber(dovecot, mail_user, validity)
        validities.append(validity)
        await until_generation(here, *validities)
        await here.equal()
    ids = await ids_by_generation(here)
    assert len(ids) == 4
    assert all(ids[generation] == ids[1] for generation in ids)
    assert len(await here.ids_of("INBOX")) == 1


async def test_a_mailbox_that_is_numbered_anew_and_changed_at_once(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(20))
    here = await mirror(dovecot, mail_user)
    await here.equal()
    with session(dovecot, mail_user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "3:5", "+FLAGS.SILENT", r"(\Flagged)")
        imap.uid("STORE", "8:9", "+FLAGS.SILENT", r"(\Deleted)")
        imap.expunge()
        imap.append("INBOX", None, None, b"Subject: new\r\n\r\nOne more.\r\n")  # type: ignore[arg-type] # None: now
    renumber(dovecot, mail_user, 4_000_000_000)
    await until_generation(here, 4_000_000_000)
    await here.equal()
    ids = await ids_by_generation(here)
    assert len(ids[2]) == 19
    assert len(ids[2] - ids[1]) <= 1


async def test_a_mailbox_whose_uids_were_lost_is_read_again_and_keeps_its_ids(
    mirror: Connect, dovecot_of_its_own: Dovecot
) -> None:
    server, user = dovecot_of_its_own, dovecot_of_its_own.user()
    server.load(user.name, mails(20))
    here = await mirror(server, user)
    await here.equal()
    ((_, first),) = await here.generations("INBOX")
    server.kill()  # a session that is open would write them again
    folder = server.maildir(user.name)
    for path in [folder / "dovecot-uidlist", *folder.glob("dovecot.index*"), *folder.glob("dovecot-uidvalidity*")]:
        path.unlink()
    await until(lambda: time.time() > first + 1)  # Dovecot numbers a mailbox by the second in which it finds it
    server.start()
    await until_second_generation(here)
    await here.equal()
    ids = await ids_by_generation(here)
    assert ids[max(ids)] == ids[1]


async def until_second_generation(here: Mirror) -> None:
    async def opened() -> bool:
        return len(await here.generations("INBOX")) > 1

    await until(opened)


async def test_a_mailbox_that_is_numbered_anew_while_it_is_read(
    mirror: Connect, dovecot: Dovecot, mail_user: User
) -> None:
    dovecot.load(mail_user.name, mails(420))
    async with FaultProxy(dovecot.port) as proxy:
        proxy.hold = b"BODY.PEEK[])"
        here = await mirror(dovecot, mail_user, via=proxy)
        await proxy.held.wait()
        renumber(dovecot, mail_user, 4_000_000_000)
        proxy.release.set()
        await until_generation(here, 4_000_000_000)
        await here.equal()


async def test_a_log_of_changes_that_goes_back_is_noticed(mirror: Connect, dovecot_of_its_own: Dovecot) -> None:
    server, user = dovecot_of_its_own, dovecot_of_its_own.user()
    server.load(user.name, mails(20))
    server.doveadm("mailbox", "update", "-u", user.name, "--min-highest-modseq", "5000", "INBOX")
    here = await mirror(server, user)
    await here.equal()
    server.kill()  # a session that is open would go on counting
    for path in server.maildir(user.name).glob("dovecot.index*"):
        path.unlink()
    server.start()
    with session(server, user) as imap:
        imap.select("INBOX")
        imap.uid("STORE", "2:4", "+FLAGS.SILENT", r"(\Flagged)")
        imap.uid("STORE", "7", "+FLAGS.SILENT", r"(\Deleted)")
        imap.expunge()
    await here.equal()
    assert len(await here.generations("INBOX")) == 1


async def test_uids_and_changes_may_jump(mirror: Connect, dovecot: Dovecot, mail_user: User) -> None:
    dovecot.load(mail_user.name, mails(5))
    here = await mirror(dovecot, mail_user)
    await here.equal()
    for uid, modseq in ((1000, 5000), (2**31, 2**40), (2**32 - 10, 2**62)):
        jump = ("--min-next-uid", str(uid), "--min-highest-modseq", str(modseq))
        dovecot.doveadm("mailbox", "update", "-u", mail_user.name, *jump, "INBOX")
        dovecot.deliver(mail_user.name, f"Subject: after {uid}\r\n\r\nx\r\n".encode())
        await here.equal()
