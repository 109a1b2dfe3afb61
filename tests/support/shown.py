"""What an installation holds and shows of an account: in its log, in its read model, and over its API."""

import asyncio
import subprocess
import sys
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from contracts import ids
from contracts.facts import Fact
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from services.log.connection import connect
from services.log.reader import PartitionLog
from tests.support.installation import Person, Product, Reader, state

PARTITIONS = 4


def placed(running: Product) -> dict[str, dict[int, tuple[str, list[str]]]]:
    """By path: UID to blob and flags, as the read model has it."""
    found: dict[str, dict[int, tuple[str, list[str]]]] = {}
    rows = running.rows(
        "SELECT b.path, p.uid, m.blob, p.flags FROM mail.mailboxes b "
        "LEFT JOIN mail.placements p ON p.mailbox_id = b.id AND p.generation = b.shown "
        "LEFT JOIN mail.messages m ON m.id = p.message_id WHERE b.selectable"
    )
    for path, uid, blob, flags in rows:
        here = found.setdefault(path, {})
        if uid is not None:
            assert uid not in here
            here[uid] = blob, sorted(flags)
    return found


def told(running: Product, person: Person, account_id: str) -> list[Fact]:
    """All facts of the account, from the log."""
    user_id = UUID(person.browser.get("/api/auth/me")["user_id"])
    subjects = AccountSubjects(ids.partition(user_id, PARTITIONS), user_id, UUID(account_id))

    async def read() -> list[Fact]:
        nc = await connect(running.environ["NATS_URL"], Role.ADMIN)
        log = PartitionLog(nc, subjects.partition)
        facts = [r.fact async for batch in log.history(subjects.everything, await log.head()) for r in batch]
        await nc.close()
        return facts

    return asyncio.run(read())


class Seen(NamedTuple):
    """What the API shows of a mailbox: message ids with their flags, and which of them are one conversation."""

    messages: dict[UUID, frozenset[str]]
    conversations: set[frozenset[UUID]]


def seen(person: Person) -> dict[str, Seen]:
    """By path. Each line of a list is held against its conversation, and the account page against the lists."""
    reader = Reader(person)
    found = {mailbox["path"]: _seen(reader, mailbox) for mailbox in state(person)["mailboxes"]}
    reader.close()
    return found


def _seen(reader: Reader, mailbox: dict[str, Any]) -> Seen:
    """A line counts its whole conversation, of which only what lies in Trash or Junk is left to their own lists."""
    messages: dict[UUID, frozenset[str]] = {}
    conversations: set[frozenset[UUID]] = set()
    unread = 0
    view = f"mailbox:{mailbox['id']}"
    lines = list(reader.threads(view))
    assert len({line["id"] for line in lines}) == len(lines)
    for line in lines:
        thread = reader.json(f"/api/threads/{line['id']}?expand=0&view={view}")["messages"]
        here = [message for message in thread if mailbox["id"] in message["mailbox_ids"]]
        unread += any(message["unread"] for message in here)
        messages |= {UUID(message["id"]): frozenset(message["flags"]) for message in here}
        conversations.add(frozenset(UUID(message["id"]) for message in here))
        if mailbox["special_use"] not in {"junk", "trash"}:
            counted = len(thread), sum(message["unread"] for message in thread)
            assert (line["message_count"], line["unread_count"]) == counted, (line, counted)
    assert (mailbox["total"], mailbox["unread"]) == (len(lines), unread)
    return Seen(messages, conversations)


def same_bytes(person: Person, blobs: dict[UUID, str]) -> bool:
    """Whether the API gives these messages as the server holds them, byte for byte."""
    reader = Reader(person)
    same = all(sha256(reader.get(f"/api/messages/{id_}/raw")[2]).hexdigest() == blob for id_, blob in blobs.items())
    reader.close()
    return same


def verify(running: Product) -> None:
    """A rebuild of every projection equals its live rows."""
    command = [
        sys.executable,
        "-m",
        "services.admin",
        "projections",
        "verify",
        "--data",
        str(running.running.folder.root),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
