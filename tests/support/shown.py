"""What an installation holds and shows of an account: in its log, in its read model, and over its API."""

import asyncio
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from typing import Any
from uuid import UUID

from contracts import ids
from contracts.facts import Fact
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from services.log.connection import connect
from services.log.reader import PartitionLog
from tests.support.installation import Person, Product, Reader, state

PARTITIONS = 4
Shown = Counter[tuple[str, frozenset[str]]]


def placed(running: Product) -> dict[str, dict[int, tuple[str, list[str]]]]:
    """By path: UID to blob and flags, as the read model has it."""
    found: dict[str, dict[int, tuple[str, list[str]]]] = {}
    for (path,) in running.rows("SELECT path FROM mail.mailboxes WHERE selectable"):
        found[path] = {}
    rows = running.rows(
        "SELECT b.path, p.uid, m.blob, p.flags FROM mail.placements p "
        "JOIN mail.messages m ON m.id = p.message_id JOIN mail.mailboxes b ON b.id = p.mailbox_id"
    )
    for path, uid, blob, flags in rows:
        assert uid not in found[path]
        found[path][uid] = blob, sorted(flags)
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


def shown(person: Person) -> dict[str, Shown]:
    """By path: what the API shows there, as hashes of the raw messages with their flags."""
    reader = Reader(person)
    found: dict[str, Shown] = {}
    for mailbox in state(person)["mailboxes"]:
        found[mailbox["path"]] = Counter()
        for thread in reader.threads(f"mailbox:{mailbox['id']}"):
            for message in reader.json(f"/api/threads/{thread['id']}?expand=0")["messages"]:
                if mailbox["id"] in message["mailbox_ids"]:
                    raw = reader.get(f"/api/messages/{message['id']}/raw")[2]
                    found[mailbox["path"]][sha256(raw).hexdigest(), frozenset(message["flags"])] += 1
    reader.close()
    return found


def counted(person: Person) -> dict[str, tuple[int, int]]:
    """By path: conversations and unread ones, as the account page says."""
    return {mailbox["path"]: (mailbox["total"], mailbox["unread"]) for mailbox in state(person)["mailboxes"]}


def listed(person: Person) -> dict[str, tuple[int, int]]:
    """The same, counted from the lists, each of whose lines is held against its conversation."""
    reader = Reader(person)
    found = {}
    for mailbox in state(person)["mailboxes"]:
        lines: list[dict[str, Any]] = list(reader.threads(f"mailbox:{mailbox['id']}"))
        assert len({line["id"] for line in lines}) == len(lines)
        for line in lines:
            messages = reader.json(f"/api/threads/{line['id']}?expand=0")["messages"]
            assert line["message_count"] == len(messages)
            assert line["unread_count"] == sum(message["unread"] for message in messages)
        found[mailbox["path"]] = len(lines), sum(line["unread_count"] > 0 for line in lines)
    reader.close()
    return found


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
