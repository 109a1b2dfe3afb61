"""A server without any of the extensions that make things easy."""

import asyncio
import imaplib
import time

from contracts.provider import Seen
from tests.services.imap.conftest import Connect, Remembered
from tests.support.imap_client import other_client
from tests.support.pymap_server import PymapServer


async def test_everything_works_without_extensions(
    connect: Connect, pymap_server: PymapServer, known: Remembered
) -> None:
    user = pymap_server.user
    raws = [b"Subject: n%d\r\n\r\nbody %d\r\n" % (n, n) for n in range(30)]
    with other_client(pymap_server.port, user, None) as client:
        client.create("Gesendet")
        for raw in raws:
            client.append("INBOX", "", imaplib.Time2Internaldate(time.time()), raw)
    provider = connect(pymap_server.port, user)
    await provider.verify()
    uses = {mailbox.path: mailbox.special_use for mailbox in await provider.list_mailboxes()}
    assert uses["INBOX"] == "inbox"
    assert uses["Gesendet"] == "sent"

    status = await provider.status("INBOX")
    backfill = provider.backfill("INBOX", uidvalidity=status.uidvalidity, batch_size=20)
    messages = [message for batch in [batch async for batch in backfill] for message in batch.messages]
    assert [message.raw for message in messages] == raws[::-1]
    assert all(message.email_id for message in messages)
    known.messages = {message.uid: message.flags for message in messages}

    idling = asyncio.create_task(provider.idle("INBOX", status))
    await asyncio.sleep(0.3)
    with other_client(pymap_server.port, user) as client:
        client.store("1", "+FLAGS", "(\\Seen)")
        client.store("2", "+FLAGS", "(\\Deleted)")
        client.expunge()
        client.append("INBOX", "", imaplib.Time2Internaldate(time.time()), raws[0])
    await asyncio.wait_for(idling, 5)
    uids = sorted(known.messages)
    delta = await provider.poll("INBOX", Seen(uidvalidity=status.uidvalidity, high_uid=uids[-1]))
    assert delta.new_uids == (uids[-1] + 1,)
    assert [(change.uid, change.flags) for change in delta.flag_changes] == [(uids[0], {"\\Seen"})]
    assert delta.expunged == str(uids[1])


async def test_a_mailbox_keeps_its_id_through_a_rename(connect: Connect, pymap_server: PymapServer) -> None:
    provider = connect(pymap_server.port, pymap_server.user)

    async def by_id() -> dict[str, str]:
        return {mailbox.remote_id: mailbox.path for mailbox in await provider.list_mailboxes()}

    with other_client(pymap_server.port, pymap_server.user, None) as client:
        client.create("Before")
        before = await by_id()
        client.rename("Before", "After")
    after = await by_id()
    assert before.keys() == after.keys()
    assert {before[one]: after[one] for one in before if before[one] != after[one]} == {"Before": "After"}
    assert "" not in after
