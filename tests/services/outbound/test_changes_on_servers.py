"""Every kind of change, done on real servers; what is shown in the end is what the server holds."""

import pytest

from contracts.facts import RequestApplied, RequestRefused
from tests.services.outbound.acting import Acting, Connect
from tests.support.dovecot import FULL, POOR, Dovecot, Mail, User
from tests.support.imap_truth import session
from tests.support.pymap_server import PymapServer

RAW = b"Message-ID: <%d@act.test>\r\nFrom: a@x.test\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\nSubject: Number %d\r\n\r\nText %d\r\n"


def mails(count: int) -> list[Mail]:
    return [Mail(RAW % (number, number, number)) for number in range(count)]


def make(server: Dovecot, user: User, *paths: str) -> None:
    with session(server, user) as imap:
        for path in paths:
            imap.create(path)


@pytest.fixture(params=[FULL, POOR])
async def account(request: pytest.FixtureRequest, act_on: Connect, dovecot: Dovecot, mail_user: User) -> Acting:
    """Twelve mails, at a server that can everything and at one that can little."""
    dovecot.load(mail_user.name, mails(12))
    make(dovecot, mail_user, "Archive", "Trash")
    connected = await act_on(dovecot, mail_user, host=request.param)
    await connected.mirror.equal()
    return connected


async def test_flags_moves_and_deletions_are_done_and_shown(account: Acting) -> None:
    ones = await account.messages()
    flagged = await account.flag(ones[:4], add=["\\Seen", "$Label1"])
    starred = await account.flag(ones[2:6], add=["\\Flagged"], remove=["\\Seen"])
    archived = await account.move(ones[4:8], "INBOX", "Archive")
    thrown = await account.move(ones[8:], "INBOX", "Trash")
    gone = await account.delete(ones[10:], "Trash")
    await account.done(flagged, starred, archived, thrown, gone)
    truth = await account.mirror.truth()
    assert [len(truth[path]) for path in ("INBOX", "Archive", "Trash")] == [4, 4, 2]
    assert [sorted(flags) for _, flags in truth["INBOX"].values()] == [
        ["$Label1", "\\Seen"],
        ["$Label1", "\\Seen"],
        ["$Label1", "\\Flagged"],
        ["$Label1", "\\Flagged"],
    ]
    await account.mirror.equal()


async def test_what_is_nowhere_any_more_is_refused(account: Acting, dovecot: Dovecot, mail_user: User) -> None:
    first, *_ = await account.messages()
    moved = await account.move([first], "INBOX", "Archive")
    again = await account.flag([first], add=["\\Seen"])
    gone = await account.delete([first], "Trash")
    assert isinstance(await account.outcome(moved), RequestApplied)
    assert isinstance(await account.outcome(again), RequestApplied)
    refused = await account.outcome(gone)
    assert isinstance(refused, RequestRefused)
    assert refused.code == "gone"
    await account.mirror.equal()


async def test_a_server_without_any_extension_of_ours_is_changed_as_well(
    act_on: Connect, pymap_server: PymapServer
) -> None:
    with session(pymap_server, pymap_server.user) as imap:
        imap.create("Archive")
        for mail in mails(4):
            imap.append("INBOX", None, None, mail.raw)  # type: ignore[arg-type]  # typeshed wants flags and a date
    account = await act_on(pymap_server, pymap_server.user)
    await account.mirror.live()
    await account.mirror.equal()
    ones = await account.messages()
    await account.done(
        await account.flag(ones[:2], add=["\\Flagged"], remove=["\\Seen"]),
        await account.move(ones[1:3], "INBOX", "Archive"),
    )
    await account.mirror.equal()
    assert len((await account.mirror.truth())["Archive"]) == 2
