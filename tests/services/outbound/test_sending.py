"""What is sent goes out once when it is due, is filed once, and whatever stands in the way is told in the server's own words."""

import time
from datetime import UTC, datetime

import pytest

from contracts.facts import SendDelivered, SendFailed, SendFiled
from services.vault import Credentials, Vault
from tests.services.faults.mirror import mails
from tests.services.outbound.acting import Connect
from tests.services.outbound.sending import TO, Sender, filing
from tests.support.dovecot import Dovecot, User
from tests.support.processes import until
from tests.support.smtp_sink import sink

THEM = "them@z.example"


async def test_it_is_sent_filed_and_its_draft_ends(sender: Sender) -> None:
    letter = await sender.send([TO, THEM])
    assert await sender.until(letter, "filed") == ["queued", "attempted", "delivered", "filed"]
    (taken,) = sender.sink.taken
    assert (taken.raw, taken.recipients) == (letter.raw, [TO, THEM])
    assert (await sender.fact(letter, SendFiled)).copy == "appended"
    ((flags, raw),) = sender.held("Sent", letter.key)
    assert raw == letter.raw
    assert b"\\Seen" in flags
    assert await sender.drafts() == 0


async def test_it_waits_until_it_is_due(sender: Sender) -> None:
    letter = await sender.send(due=2)
    due = datetime.now(UTC).timestamp() + 1.9
    await sender.until(letter, "delivered")
    assert datetime.now(UTC).timestamp() >= due
    assert (await sender.fact(letter, SendDelivered)).at.timestamp() >= due


async def test_what_is_taken_back_or_put_off_is_not_sent(sender: Sender) -> None:
    back, later = await sender.send(due=1.5), await sender.send(due=1.5)
    assert await sender.undo(back)
    await sender.put_off(later, 3600)
    after = await sender.send(due=1.6)
    await sender.until(after, "filed")
    assert [await sender.told(one) for one in (back, later)] == [["queued", "cancelled"], ["queued", "edited"]]
    assert sender.sink.ids() == [after.key.encode()]
    await sender.put_off(later, 0)
    await sender.until(later, "delivered")


async def test_an_undo_wins_until_the_content_goes_out_and_then_nothing_was_sent(sender: Sender) -> None:
    held = sender.sink.hold("rcpt")
    letter = await sender.send()
    await held.until_reached()
    assert await sender.undo(letter)
    held.go_on.set()
    await until(lambda: sender.sink.lines[-1:] == ["QUIT"])
    assert "DATA" not in sender.sink.lines
    assert await sender.told(letter) == ["queued", "cancelled"]
    held = sender.sink.hold("data")
    letter = await sender.send()
    await held.until_reached()
    assert await sender.told(letter) == ["queued", "attempted"]
    held.go_on.set()
    await sender.until(letter, "delivered")
    assert await sender.sent(letter) == 1


async def test_recipients_that_were_refused_are_told_by_name_and_the_others_have_it(sender: Sender) -> None:
    sender.sink.refuse = {THEM: "550 5.1.1 no such user"}
    letter = await sender.send([TO, THEM])
    await sender.until(letter, "delivered")
    assert (await sender.fact(letter, SendDelivered)).refused == 1
    assert await sender.refused(letter) == {THEM: 550}
    assert sender.sink.taken[0].recipients == [TO]


async def test_a_mail_that_all_refuse_fails_and_its_draft_is_kept(sender: Sender) -> None:
    sender.sink.refuse = {TO: "550 5.1.1 no such user"}
    letter = await sender.send()
    assert await sender.until(letter, "failed") == ["queued", "failed"]
    assert (await sender.fact(letter, SendFailed)).code == "refused_recipients"
    assert await sender.refused(letter) == {TO: 550}
    assert await sender.words(letter) == "550 5.1.1 no such user"
    assert await sender.drafts() == 1


async def test_content_that_is_refused_for_good_fails_in_the_servers_words(sender: Sender) -> None:
    sender.sink.content = "554 5.7.1 looks like spam"
    letter = await sender.send()
    assert await sender.until(letter, "failed") == ["queued", "attempted", "failed"]
    assert await sender.words(letter) == "554 5.7.1 looks like spam"
    assert sender.held("Sent", letter.key) == []


async def test_content_that_is_refused_for_now_is_tried_again(sender: Sender) -> None:
    sender.sink.content = "451 4.7.0 greylisted"
    letter = await sender.send()
    await until(lambda: sender.sink.lines.count("DATA") == 1)
    await until(lambda: sender.words(letter))
    assert await sender.words(letter) == "451 4.7.0 greylisted"
    sender.sink.content = "250 ok"
    told = await sender.until(letter, "delivered")
    assert told[:4] == ["queued", "attempted", "attempted", "delivered"]
    assert await sender.sent(letter) == 1


async def test_a_server_that_is_away_is_tried_again_while_it_stays_queued(sender: Sender) -> None:
    sender.sink.hang_up = {"mail"}
    letter = await sender.send()
    await until(lambda: sender.words(letter))
    sender.sink.hang_up = set()
    assert await sender.until(letter, "delivered") == ["queued", "attempted", "delivered"]


async def test_what_may_pass_and_does_not_is_given_up(sender: Sender) -> None:
    sender.sink.sender = "421 4.3.2 closing"
    letter = await sender.send(due=-5 * 3600)
    assert await sender.until(letter, "failed") == ["queued", "failed"]
    assert (await sender.fact(letter, SendFailed)).code == "unavailable"
    assert "closing" in await sender.words(letter)


async def test_a_password_that_is_refused_is_tried_twice_and_shown_nowhere(sender: Sender) -> None:
    sender.sink.users = {sender.mirror.user.name: "another"}
    letter = await sender.send()
    await sender.until(letter, "failed")
    assert (await sender.fact(letter, SendFailed)).code == "auth_failed"
    assert sender.sink.lines.count("AUTH") == 2
    assert sender.mirror.user.password not in await sender.words(letter)
    assert sender.mirror.user.password not in sender.mirror.installed.log_of("outbound")


async def test_a_password_of_its_own_is_used_for_sending(sender: Sender) -> None:
    installed = sender.mirror.installed
    known = Credentials(imap_password=sender.mirror.user.password, smtp_password="of smtp")
    await sender.db.execute(
        "UPDATE account_secrets SET sealed = $2 WHERE account_id = $1",
        sender.account,
        Vault(installed.master_key).keep(sender.account, known.encoded()),
    )
    sender.sink.users = {sender.mirror.user.name: "of smtp"}
    await sender.until(await sender.send(), "filed")


async def test_an_account_without_a_submission_server_says_so(sender: Sender) -> None:
    await sender.db.execute("UPDATE accounts SET smtp = NULL WHERE id = $1", sender.account)
    letter = await sender.send()
    await sender.until(letter, "failed")
    assert (await sender.fact(letter, SendFailed)).code == "no_submission"


@pytest.mark.parametrize("step", ["content", "taken"])
async def test_when_nobody_knows_it_is_said_and_nothing_is_sent_again(sender: Sender, step: str) -> None:
    sender.sink.hang_up = {step}  # type: ignore[arg-type] # one of them
    letter = await sender.send()
    assert await sender.until(letter, "unconfirmed") == ["queued", "attempted", "unconfirmed"]
    assert sender.sink.lines.count("DATA") == 1
    assert await sender.drafts() == 1


async def test_what_is_found_in_sent_was_delivered(sender: Sender, dovecot: Dovecot) -> None:
    sender.sink.deliver = filing(sender)
    sender.sink.hang_up = {"taken"}
    sender.sink.refuse = {THEM: "550 no"}
    letter = await sender.send([TO, THEM])
    assert await sender.until(letter, "filed") == ["queued", "attempted", "delivered", "filed"]
    assert (await sender.fact(letter, SendDelivered)).refused == 1
    assert (await sender.fact(letter, SendFiled)).copy == "found"
    assert len(sender.held("Sent", letter.key)) == 1


@pytest.mark.parametrize("after", [0, 1])
async def test_a_server_that_files_its_own_copy_gets_no_other(sender: Sender, after: float) -> None:
    sender.sink.deliver = filing(sender, after=after)
    letter = await sender.send()
    await sender.until(letter, "filed")
    assert (await sender.fact(letter, SendFiled)).copy == "found"
    assert len(sender.held("Sent", letter.key)) == 1


async def test_the_answered_and_the_forwarded_message_say_so(sender: Sender, dovecot: Dovecot) -> None:
    dovecot.load(sender.mirror.user.name, mails(2))
    await sender.mirror.equal()
    answered, forwarded = await sender.acting.messages()
    reply = await sender.send(kind="reply_all", source=answered)
    forward = await sender.send(kind="forward", source=forwarded)
    for one in (reply, forward):
        await sender.until(one, "filed")
    truth = await sender.mirror.truth()
    flags = [flags for _, (_, flags) in sorted(truth["INBOX"].items())]
    assert "\\Answered" in flags[0]
    assert "$Forwarded" in flags[1]
    await sender.mirror.equal()


async def test_a_message_of_another_account_is_marked_there(sender: Sender, act_on: Connect, dovecot: Dovecot) -> None:
    user = dovecot.user()
    dovecot.load(user.name, mails(1))
    other = await act_on(dovecot, user, owner=sender.user)
    await other.mirror.equal()
    (message,) = await other.messages()
    letter = await sender.send(kind="reply", source=message)
    await sender.until(letter, "filed")
    truth = await other.mirror.truth()
    ((_, flags),) = truth["INBOX"].values()
    assert "\\Answered" in flags


async def test_an_account_sends_one_at_a_time_in_the_order_in_which_they_are_due(sender: Sender) -> None:
    letters = [await sender.send(due=due) for due in (5, 3.5, 2)]
    for one in letters:
        await sender.until(one, "delivered")
    assert sender.sink.ids() == [one.key.encode() for one in reversed(letters)]
    assert sender.sink.most == 1
    assert sender.sink.lines.count("QUIT") >= 2


async def test_a_slow_server_delays_no_other_account(sender: Sender, act_on: Connect, dovecot: Dovecot) -> None:
    held = sender.sink.hold("mail")
    slow = await sender.send()
    await held.until_reached()
    async with sink() as server:
        other = Sender(await act_on(dovecot, dovecot.user()), server)
        await other.begin()
        await other.mirror.equal()
        began = time.monotonic()
        await other.until(await other.send(), "delivered")
        assert time.monotonic() - began < 10
    assert await sender.told(slow) == ["queued"]
    held.go_on.set()
    await sender.until(slow, "delivered")


async def test_an_account_without_a_sent_mailbox_has_no_copy(sender: Sender, dovecot: Dovecot, mail_user: User) -> None:
    await sender.db.execute(
        "UPDATE mail.mailboxes SET special_use = NULL WHERE account_id = $1 AND special_use = 'sent'", sender.account
    )
    letter = await sender.send()
    await sender.until(letter, "filed")
    assert (await sender.fact(letter, SendFiled)).copy == "none"
    assert await sender.drafts() == 0


async def test_mail_of_a_paused_account_waits_until_it_goes_on(sender: Sender) -> None:
    await sender.db.execute("UPDATE accounts SET paused = true WHERE id = $1", sender.account)
    letter = await sender.send()

    async def tried() -> bool:
        return await sender.db.fetchval("SELECT count(*) FROM send_words WHERE outbox_id = $1", letter.outbox) == 1

    await until(tried)
    assert await sender.told(letter) == ["queued"]
    await sender.db.execute("UPDATE accounts SET paused = false WHERE id = $1", sender.account)
    await sender.until(letter, "delivered")
    assert sender.sink.most == 1


async def test_what_is_large_and_full_of_dots_arrives_as_it_is(sender: Sender) -> None:
    letter = await sender.send(body=".\r\n..\r\n.word\r\n" * 200_000)
    await sender.until(letter, "filed")
    ((_, raw),) = sender.held("Sent", letter.key)
    assert sender.sink.taken[0].raw == raw == letter.raw
