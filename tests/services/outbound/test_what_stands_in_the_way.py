"""Numbers that change, mailboxes that are gone, refusals: what can be waited for is, and the rest rolls back with its reason."""

from uuid import uuid4

import pytest

from contracts import codec
from contracts.facts import Applied, RequestApplied, RequestRefused
from contracts.provider import MailboxError, ProviderConnectError
from services.database import UNAVAILABLE
from services.mail.imap.writer import ImapWriter
from services.outbound import trouble
from services.outbound.outcomes import LARGEST, fitting
from services.outbound.trouble import Follows, follows
from tests.services.faults.mirror import mails
from tests.services.outbound.acting import Acting, Connect
from tests.services.outbound.holders import Outbound, holder, parts
from tests.services.outbound.test_changes_on_servers import make
from tests.support.dovecot import Dovecot, User
from tests.support.given import START
from tests.support.imap_truth import quoted, session


@pytest.fixture
async def account(act_on: Connect, dovecot: Dovecot, mail_user: User) -> Acting:
    dovecot.load(mail_user.name, mails(4))
    make(dovecot, mail_user, "Archive", "Short-lived")
    connected = await act_on(dovecot, mail_user)
    await connected.mirror.equal()
    return connected


async def test_a_mailbox_that_is_numbered_anew_is_waited_for(
    account: Acting, dovecot: Dovecot, mail_user: User
) -> None:
    ones = await account.messages()
    dovecot.doveadm("mailbox", "update", "-u", mail_user.name, "--uid-validity", "4000000000", "INBOX")
    flagged = await account.flag(ones[:2], add=["\\Flagged"])
    moved = await account.move(ones[2:], "INBOX", "Archive")
    await account.done(flagged, moved)
    truth = await account.mirror.truth()
    assert [len(truth[path]) for path in ("INBOX", "Archive")] == [2, 2]
    assert all("\\Flagged" in flags for _, flags in truth["INBOX"].values())
    await account.mirror.equal()


async def test_a_move_into_a_mailbox_that_is_gone_rolls_back(
    account: Acting, dovecot: Dovecot, mail_user: User
) -> None:
    ones = await account.messages()
    target = await account.mailbox("Short-lived")
    with session(dovecot, mail_user) as imap:
        imap.delete(quoted("Short-lived"))
    refused = await account.outcome(await account.move_to(ones, "INBOX", target))
    assert isinstance(refused, RequestRefused)
    assert refused.code == "mailbox_missing"
    await account.mirror.equal()
    assert await account.messages() == ones
    state = await account.db.fetchrow("SELECT state, code FROM history.requests WHERE id = $1", refused.request_id)
    assert tuple(state or ()) == ("refused", "mailbox_missing")


async def test_what_fails_in_a_way_that_nobody_foresaw_is_refused_after_five_tries(
    account: Acting, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    async def fail(*_: object, **__: object) -> None:
        nonlocal tries
        tries += 1
        raise ValueError

    outbound.kill()
    monkeypatch.setattr(ImapWriter, "push_flags", fail)
    monkeypatch.setattr("services.outbound.account.RETRY", 0.01)
    request = await account.flag(await account.messages(), add=["\\Seen"])
    async with parts(account.mirror.installed) as known, holder(known, account.mirror.account.partition):
        refused = await account.outcome(request)
    assert isinstance(refused, RequestRefused)
    assert (refused.code, tries) == ("internal", 5)


@pytest.mark.parametrize(
    ("error", "follows_"),
    [
        (MailboxError("over_quota", ""), Follows(refused="over_quota")),
        (MailboxError("uidvalidity_changed", ""), Follows(most=trouble.SOON)),
        (ProviderConnectError("refused", ""), Follows()),
        (UNAVAILABLE[0](), Follows()),
        (ValueError(), Follows(strange=True)),
    ],
)
def test_what_follows_from_trouble(error: Exception, follows_: Follows) -> None:
    assert follows(error) == follows_


def test_of_too_many_results_as_many_are_told_as_a_fact_can_hold() -> None:
    result = Applied(message_id=uuid4(), mailbox_id=uuid4(), generation=1, uid=1, flags=["\\Seen"] * 20)
    common = {"user_id": uuid4(), "account_id": uuid4(), "at": START, "request_id": uuid4()}
    small = RequestApplied(**common, results=[result] * 100)
    assert fitting(small) == small
    large = fitting(RequestApplied(**common, results=[result] * 4000))
    assert LARGEST / 4 < len(codec.encode(large)) <= LARGEST
