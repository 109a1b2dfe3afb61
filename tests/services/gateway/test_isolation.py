"""Nobody sees anything of anybody else: every route of the API, walked from its own document (I-7)."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from nats.aio.msg import Msg

from contracts.codec import encode
from contracts.facts import FlagsRequested, SendFailed, SendQueued
from projections.sql import Pool
from services import positions
from services.gateway.accounts import connect
from services.gateway.actions import making
from services.gateway.app import app
from services.gateway.deps import Gateway, as_user
from services.gateway.openapi import document
from services.log.connection import Connection
from services.state import bulk, identities, passkeys, sessions
from tests.support.given import START, mail

SPEC: dict[str, Any] = json.loads(document(app()))
PUBLIC = {
    "/api/auth/register",
    "/api/auth/login",
    "/api/auth/passkeys/challenge",
    "/api/auth/passkeys/login",
    "/api/auth/password/reset",
    "/api/auth/password/reset-request",
    "/api/auth/recovery/verify",
    "/api/config",
    "/api/healthz",
    "/api/readyz",
    "/healthz",
    "/readyz",
}
SERVER = {"host": "imap.example.org", "port": 993, "tls": "ssl", "username": "u", "password": "p"}
BODIES: dict[str, object] = {
    "Act": {"action": "flags", "add": ["\\Seen"]},
    "ActOnEverything": {"action": "flags", "view": "unified", "add": ["\\Seen"]},
    "AddAccount": {},
    "AddIdentity": {"email": "a@example.org", "name": "Anna"},
    "AllowRemoteImages": {"scope": "once"},
    "BeginDraft": {"kind": "reply", "message_id": "{message_id}"},
    "BeginUpload": {"filename": "a.txt", "size": 4},
    "ChangeAccount": {"paused": True},
    "ChangeIdentity": {"name": "Anna"},
    "ChangeSettings": {"theme": "dark"},
    "ChooseMailboxes": {"sent": None},
    "CreateMailbox": {"name": "Archive", "use": "archive"},
    "FlagMessage": {"add": ["\\Seen"]},
    "FlagThread": {"add": ["\\Seen"]},
    "MoveMessage": {"mailbox_id": "{mailbox_id}"},
    "ReconnectAccount": {"imap": SERVER, "smtp": None},
    "RenamePasskey": {"name": "phone"},
    "SaveDraft": {
        "to": [],
        "cc": [],
        "bcc": [],
        **dict.fromkeys(("subject", "html"), "Secret of Anna"),
        "revision": 0,
        "identity_id": "{identity_id}",
        "plain": False,
        "quote": "none",
    },
    "RescheduleSend": {"due": None},
    "SendDraft": {"draft_id": "{draft_id}", "revision": 0},
    "StartSync": {},
}
OVER = {"RetrySend", "SetSendAside"}
"""Of sends that came to an end."""


ATTACHED = 'MIME-Version: 1.0\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-ID: <part@anna>\r\n'


def operations() -> Iterator[tuple[str, str, str]]:
    for path, methods in SPEC["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation["operationId"]


@pytest.fixture
def anna(open_browser: Callable[..., Any]) -> Any:
    return open_browser()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No projector follows the log here: whoever waits for one would wait in vain."""
    monkeypatch.setattr(positions, "PATIENCE", 0)


@pytest.fixture
async def annas(
    anna: Any, parts: Gateway, mail_of: Callable[..., Awaitable[Any]], owner: Pool, impatient: None
) -> dict[str, str]:
    """One of everything that the API can name, all of it Anna's."""
    me = await anna.enter("anna")
    inbox = await mail_of(me)
    user_id = UUID(me["user_id"])
    _, session_id = await sessions.start(parts.db, user_id, "another browser", 30)
    passkey = await passkeys.add(
        parts.db, user_id, credential_id=b"credential", public_key=b"key", sign_count=0, name="phone"
    )
    assert passkey is not None
    message = await inbox.arrived(mail("Secret of Anna", key="1", more=ATTACHED))
    shown = (await anna.get(f"/api/messages/{message}")).json()
    request = inbox.account.fact(FlagsRequested, request_id=uuid4(), message_ids=[UUID(message)], add=["\\Flagged"])
    await inbox.told(request)
    async with as_user(parts.db, user_id) as db:
        account_id = inbox.account.account_id
        identity = await identities.add(
            db, user_id, account_id, name="Anna", email="b@example.org", reply_to="", signature=""
        )
    assert identity is not None
    draft = (await anna.post("/api/drafts", json={"kind": "forward", "message_id": message})).json()
    file = {"filename": "a.txt", "size": 0}
    upload = (await anna.post(f"/api/drafts/{draft['id']}/attachments", json=file)).json()
    await owner.execute("UPDATE accounts SET smtp = imap")
    waiting, failed = await sent(anna), await sent(anna)
    await inbox.told(
        [
            inbox.account.fact(SendQueued, **failed, due=START, revision=0),
            inbox.account.fact(SendFailed, outbox_id=failed["outbox_id"], code="rejected"),
        ]
    )
    job_id = uuid4()
    async with as_user(parts.db, user_id) as db:
        piece = bulk.Piece(account_id, request.request_id, encode(request).decode(), 1)
        await bulk.add(db, user_id, job_id, [piece], action="flags", asked=b"")
        await bulk.settle(db, user_id, job_id, 0, done=1, code="")
        await bulk.settle_job(db, user_id, job_id)
    return {
        "job_id": str(job_id),
        "draft_id": draft["id"],
        "upload_id": upload["id"],
        "outbox_id": str(waiting["outbox_id"]),
        "failed_id": str(failed["outbox_id"]),
        "identity_id": str(identity.id),
        "session_id": str(session_id),
        "passkey_id": str(passkey.id),
        "account_id": str(inbox.account.account_id),
        "thread_id": shown["thread_id"],
        "message_id": message,
        "attachment_id": shown["attachments"][0]["id"],
        "content_id": "part@anna",
        "mailbox_id": shown["mailbox_ids"][0],
        "request_id": str(request.request_id),
    }


@pytest.fixture
async def behind(log: Connection, annas: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Outbound makes every mailbox that it is asked for, and calls it as it calls Anna's; at sync every account works."""
    monkeypatch.setattr(making, "SEEN_WITHIN", 0)

    async def make(message: Msg) -> None:
        await log.publish(message.reply, msgspec.json.encode({"mailbox_id": annas["mailbox_id"]}))

    async def works(message: Msg) -> None:
        await log.publish(message.reply, b'{"ok": true}')

    subscriptions = [await log.subscribe(making.SUBJECT, cb=make), await log.subscribe(connect.SUBJECT, cb=works)]
    yield
    for subscription in subscriptions:
        await subscription.unsubscribe()


async def sent(anna: Any) -> dict[str, UUID]:
    """A draft of hers that waits to be sent."""
    wish = {"kind": "new", "to": [{"name": "", "email": "you@y.example"}]}
    draft_id = (await anna.post("/api/drafts", json=wish)).json()["id"]
    queued = (await anna.post("/api/send", json={"draft_id": draft_id, "revision": 0})).json()
    return {"draft_id": UUID(draft_id), "outbox_id": UUID(queued["outbox_id"])}


def body(name: str, annas: dict[str, str]) -> object:
    """What is sent, with Anna's ids where an id is named."""
    written = json.dumps(BODIES.get(name))
    for id_ in ("draft_id", "identity_id", "mailbox_id", "message_id"):
        written = written.replace(f"{{{id_}}}", annas[id_])
    return json.loads(written)


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize(("method", "path", "name"), list(operations()))
async def test_another_user_finds_nothing(
    open_browser: Callable[..., Any], annas: dict[str, str], method: str, path: str, name: str
) -> None:
    bob = open_browser()
    await bob.enter("bob")
    answer = await bob.request(method, path.format_map(annas), json=body(name, annas))
    if "{" in path:
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    for secret in annas.values():
        assert secret not in answer.text
    assert "Secret of Anna" not in answer.text


@pytest.mark.usefixtures("behind")
@pytest.mark.parametrize(("method", "path", "name"), [one for one in operations() if "{" in one[1]])
async def test_the_owner_finds_what_the_other_does_not(
    anna: Any, annas: dict[str, str], method: str, path: str, name: str
) -> None:
    named = annas | {"outbox_id": annas["failed_id"]} if name in OVER else annas
    answer = await anna.request(method, path.format_map(named), json=body(name, annas))
    assert answer.status_code in {200, 201, 202, 204}


@pytest.mark.parametrize(("method", "path", "name"), list(operations()))
async def test_without_a_session_only_the_public_routes_answer(
    open_browser: Callable[..., Any], method: str, path: str, name: str
) -> None:
    nobodys = defaultdict[str, str](lambda: str(uuid4()))
    answer = await open_browser().request(method, path.format_map(nobodys), json=body(name, nobodys))
    assert (answer.status_code == 401) == (path not in PUBLIC)


@pytest.mark.parametrize("view", ["account:{account_id}", "mailbox:{mailbox_id}"])
async def test_anothers_list_is_empty(open_browser: Callable[..., Any], annas: dict[str, str], view: str) -> None:
    bob = open_browser()
    await bob.enter("bob")
    page = (await bob.get("/api/threads", params={"view": view.format_map(annas)})).json()
    assert (page["threads"], page["total"]) == ([], 0)
