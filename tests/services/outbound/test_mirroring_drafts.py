"""Drafts are in the server's Drafts mailbox as they are here: the new copy before the old one goes, and none of what is sent or deleted."""

import asyncio
import email
import email.policy
from datetime import UTC
from hashlib import sha256
from uuid import UUID

import msgspec

from projections.documents import read
from services.mail import compose
from services.state import quotes
from services.state.quotes import Below
from tests.services.outbound.acting import Connect
from tests.services.outbound.sending import TO, Sender
from tests.support.dovecot import Dovecot
from tests.support.imap_truth import quoted, session
from tests.support.processes import until
from tests.support.smtp_sink import sink

PEOPLE = msgspec.json.encode(
    {"to": [{"name": "You", "email": TO}], "bcc": [{"name": "", "email": "unfinish"}]}
).decode()


async def saved(sender: Sender, draft: UUID, html: str) -> None:
    await sender.db.execute(
        "UPDATE drafts SET html = $2, recipients = $3, edition = edition + 1, updated_at = now() WHERE id = $1",
        draft,
        html,
        PEOPLE,
    )


async def key_of(sender: Sender, draft: UUID) -> str:
    key: str = await sender.db.fetchval("SELECT message_id_header FROM drafts WHERE id = $1", draft)
    return key


async def copies(sender: Sender, key: str, words: str) -> list[tuple[bytes, bytes]]:
    """Wait until the only copies are of these words."""
    found: list[tuple[bytes, bytes]] = []

    async def there() -> bool:
        found[:] = await asyncio.to_thread(sender.held, "Drafts", key)
        return bool(found) and all(words.encode() in raw for _, raw in found)

    await until(there, seconds=30)
    return found


async def held(sender: Sender, key: str) -> list[bytes]:
    return [raw for _, raw in await asyncio.to_thread(sender.held, "Drafts", key)]


async def gone(sender: Sender, key: str) -> None:
    async def nowhere() -> bool:
        return not await held(sender, key)

    await until(nowhere, seconds=30)


async def test_a_draft_is_copied_as_it_is_and_one_copy_follows_another(sender: Sender) -> None:
    draft = await sender.draft(in_reply_to=["Two@X.Example"], reference_ids=["One@X.Example", "Two@X.Example"])
    key = await key_of(sender, draft)
    blob = (await sender.blobs.put(sender.user, [b"%PDF-1.4 tiny"]))[0]
    await sender.db.execute(
        "INSERT INTO uploads (user_id, draft_id, filename, mime, size, received, blob) "
        "VALUES ($1, $2, 'a.pdf', 'application/pdf', 13, 13, $3)",
        sender.user,
        draft,
        blob,
    )
    await saved(sender, draft, "<p>First words</p>")
    ((flags, raw),) = await copies(sender, key, "First words")
    assert b"\\Draft" in flags
    assert b"\\Seen" in flags
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert message["To"] == f"You <{TO}>"
    assert "unfinish" in raw.decode()
    assert (message["In-Reply-To"], message["References"]) == ("<Two@X.Example>", "<One@X.Example> <Two@X.Example>")
    assert message["From"].addresses[0].addr_spec == sender.mirror.user.name
    assert [part.get_filename() for part in message.iter_attachments()] == ["a.pdf"]
    await saved(sender, draft, "<p>Second words</p>")
    assert len(await copies(sender, key, "Second words")) == 1
    row = await sender.db.fetchrow(
        "SELECT mirrored_edition, mirror_account_id, mirror_uid FROM drafts WHERE id = $1", draft
    )
    assert row is not None
    assert row["mirrored_edition"] == 2
    assert row["mirror_account_id"] == sender.account
    await sender.mirror.equal()


async def test_a_copy_has_the_original_below_as_the_mail_will_have_it(sender: Sender) -> None:
    boundary = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
    original = (
        f"Message-ID: <o@x.example>\r\nFrom: Bob <bob@x.example>\r\nSubject: Plan\r\n{boundary}"
        'Content-Type: text/html\r\n\r\n<p>The plan. <img src="cid:pic@x"></p>\r\n--b\r\nContent-Type: image/png\r\n'
        "Content-ID: <pic@x>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n"
    ).encode()
    await asyncio.to_thread(sender.append, "INBOX", original)
    await sender.mirror.equal()
    (source,) = await sender.acting.messages()
    draft = await sender.draft(kind="reply", source_message_id=source, quote="full")
    key = await key_of(sender, draft)
    quote = compose.quote(read(original), "reply", "en", UTC)
    async with sender.db.acquire() as db:
        blob = await db.fetchval("SELECT blob FROM mail.messages WHERE id = $1", source)
        await quotes.keep(db, sender.user, draft, sender.account, Below(blob, quote))
    await saved(sender, draft, "<p>My answer</p>")
    ((_, raw),) = await copies(sender, key, "My answer")
    message = email.message_from_bytes(raw, policy=email.policy.default)
    text, html, image = (part for part in message.walk() if not part.is_multipart())
    assert text.get_content().splitlines()[-2:] == ["Bob <bob@x.example> wrote:", "> The plan."]
    assert "<blockquote" in html.get_content()
    assert f'src="cid:{image["Content-ID"].strip("<>")}"' in html.get_content()
    assert image.get_content() == b"\x89PNG\r\n\x1a\n"
    await sender.db.execute("UPDATE drafts SET quote = 'none' WHERE id = $1", draft)
    await saved(sender, draft, "<p>No quote</p>")
    ((_, raw),) = await copies(sender, key, "No quote")
    assert b"The plan." not in raw


async def test_a_copy_that_a_death_left_behind_goes_with_the_old_one(sender: Sender) -> None:
    draft = await sender.draft()
    key = await key_of(sender, draft)
    left = f"Message-ID: {key}\r\nSubject: x\r\n\r\nLeft behind\r\n".encode()
    await sender.db.execute("UPDATE drafts SET copies = $2 WHERE id = $1", draft, [sha256(left).hexdigest()])
    await asyncio.to_thread(sender.append, "Drafts", left)
    await sender.mirror.equal()
    await saved(sender, draft, "Now")
    assert len(await copies(sender, key, "Now")) == 1
    ((_, raw),) = await copies(sender, key, "Now")
    remembered = await sender.db.fetchval("SELECT copies FROM drafts WHERE id = $1", draft)
    assert remembered == [sha256(one).hexdigest() for one in (left, raw)]


def edit(sender: Sender, key: str, raw: bytes) -> None:
    """As another program does it that saves what it has opened."""
    with session(sender.mirror.server, sender.mirror.user) as imap:
        imap.select(quoted("Drafts"))
        _, (found,) = imap.uid("SEARCH", "HEADER", "Message-ID", key)
        imap.append(quoted("Drafts"), "\\Draft", None, raw)  # type: ignore[arg-type] # it takes None
        imap.uid("STORE", found.decode(), "+FLAGS", "\\Deleted")
        imap.expunge()


async def test_what_another_program_made_of_a_copy_is_never_removed(sender: Sender) -> None:
    draft = await sender.draft()
    key = await key_of(sender, draft)
    await saved(sender, draft, "First words")
    await copies(sender, key, "First words")
    theirs = f"Message-ID: {key}\r\nSubject: Plan\r\n\r\nTheir words\r\n".encode()
    await asyncio.to_thread(edit, sender, key, theirs)
    await saved(sender, draft, "Our words")

    async def beside_each_other() -> bool:
        found = await held(sender, key)
        return len(found) == 2 and theirs in found and any(b"Our words" in raw for raw in found)

    await until(beside_each_other, seconds=30)
    await sender.mirror.equal()
    await saved(sender, draft, "Our last words")

    async def ours_is_new() -> bool:
        found = await held(sender, key)
        return len(found) == 2 and theirs in found and any(b"Our last words" in raw for raw in found)

    await until(ours_is_new, seconds=30)
    await sender.db.execute("UPDATE drafts SET deleted_at = now() WHERE id = $1", draft)

    async def theirs_is_left() -> bool:
        return await held(sender, key) == [theirs]

    await until(theirs_is_left, seconds=30)


async def test_a_deleted_draft_leaves_no_copy_and_no_row(sender: Sender) -> None:
    draft = await sender.draft()
    key = await key_of(sender, draft)
    await saved(sender, draft, "Words")
    await copies(sender, key, "Words")
    await sender.db.execute("UPDATE drafts SET deleted_at = now() WHERE id = $1", draft)
    await gone(sender, key)

    async def forgotten() -> bool:
        return await sender.drafts() == 0

    await until(forgotten)


async def test_a_draft_that_is_sent_is_copied_no_more_and_its_copy_goes(sender: Sender) -> None:
    draft = await sender.draft()
    key = await key_of(sender, draft)
    await saved(sender, draft, "Words")
    await copies(sender, key, "Words")
    letter = await sender.send(draft=draft, due=4)
    await saved(sender, draft, "Later words")
    await sender.until(letter, "filed")
    assert sender.held("Drafts", key) == []
    assert len(sender.held("Sent", key)) == 1
    assert await sender.drafts() == 0


async def test_a_draft_whose_send_failed_is_copied_again(sender: Sender) -> None:
    draft = await sender.draft()
    key = await key_of(sender, draft)
    sender.sink.content = "554 no"
    await sender.until(await sender.send(draft=draft), "failed")
    await saved(sender, draft, "Another try")
    await copies(sender, key, "Another try")


async def test_a_draft_that_goes_to_another_account_leaves_no_copy_in_the_first(
    sender: Sender, act_on: Connect, dovecot: Dovecot
) -> None:
    async with sink() as server:
        other = Sender(await act_on(dovecot, dovecot.user(), owner=sender.user), server)
        draft = await sender.draft()
        key = await key_of(sender, draft)
        await saved(sender, draft, "Here")
        await copies(sender, key, "Here")
        await other.mirror.equal()
        await sender.db.execute("UPDATE drafts SET account_id = $2 WHERE id = $1", draft, other.account)
        await saved(sender, draft, "There")
        await copies(other, key, "There")
        await gone(sender, key)


async def test_a_server_that_is_away_delays_no_other_accounts_drafts(
    sender: Sender, act_on: Connect, dovecot: Dovecot
) -> None:
    async with sink() as server:
        other = Sender(await act_on(dovecot, dovecot.user()), server)
        await other.mirror.equal()
        await sender.db.execute(
            "UPDATE accounts SET imap = jsonb_set(imap, '{port}', '1') WHERE id = $1", other.account
        )
        away, here = await other.draft(), await sender.draft()
        await saved(other, away, "Away")
        await saved(sender, here, "Here")
        await copies(sender, await key_of(sender, here), "Here")
