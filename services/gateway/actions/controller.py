"""Flags, moves and deletions: of a message, of a conversation, of whatever is selected."""

from functools import partial
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, Response, post
from litestar.params import FromPath, HeaderParameter, JSONBody

from contracts.facts import SpecialUse
from services.gateway.actions.deciding import planned
from services.gateway.actions.making import make
from services.gateway.actions.plan import NoMailbox
from services.gateway.actions.requests import ask
from services.gateway.actions.structs import (
    ActionWish,
    FlagsWish,
    MailboxMade,
    MailboxProblem,
    MailboxWish,
    MoveWish,
    NoMailboxFor,
    Requested,
)
from services.gateway.deps import CurrentUser, Parts
from services.gateway.errors import AnyRequest
from services.gateway.security import signed_in

Key = Annotated[str | None, HeaderParameter(name="Idempotency-Key", max_length=200)]

_NAMES = {SpecialUse.ARCHIVE: "archived mail", SpecialUse.JUNK: "junk", SpecialUse.TRASH: "trash"}


def no_mailbox(_: AnyRequest, error: NoMailbox) -> Response[NoMailboxFor]:
    what = _NAMES.get(error.use, error.use.value)
    problem = MailboxProblem(
        code="no_mailbox_for", message=f"This account has no mailbox for {what}. Choose one, or create one."
    )
    answer = NoMailboxFor(error=problem, use=error.use, account_id=error.account_id, candidates=error.candidates)
    return Response(answer, status_code=409)


class ActionController(Controller):
    """Everything is asked for in the log and shown at once; the part that speaks to mail servers does it after that.

    A header `Idempotency-Key` makes a repetition the same requests. 202: not yet in the read model.
    """

    path = "/"
    tags = ("actions",)
    guards = (signed_in,)
    exception_handlers = {NoMailbox: no_mailbox}  # noqa: RUF012 - Litestar's own shape

    @post("/messages/{message_id:uuid}/flags", operation_id="FlagMessage", status_code=200)
    async def flag_message(
        self, *, user: CurrentUser, parts: Parts, message_id: FromPath[UUID], data: JSONBody[FlagsWish], key: Key = None
    ) -> Response[Requested]:
        """Add and remove flags; others stay."""
        wish = ActionWish(action="flags", message_ids=[message_id], add=data.add, remove=data.remove)
        return await _ask(user, parts, wish, key)

    @post("/messages/{message_id:uuid}/move", operation_id="MoveMessage", status_code=200)
    async def move_message(
        self, *, user: CurrentUser, parts: Parts, message_id: FromPath[UUID], data: JSONBody[MoveWish], key: Key = None
    ) -> Response[Requested]:
        """Into another mailbox of its account."""
        wish = ActionWish(action="move", message_ids=[message_id], mailbox_id=data.mailbox_id)
        return await _ask(user, parts, wish, key)

    @post("/threads/{thread_id:uuid}/flags", operation_id="FlagThread", status_code=200)
    async def flag_thread(
        self, *, user: CurrentUser, parts: Parts, thread_id: FromPath[UUID], data: JSONBody[FlagsWish], key: Key = None
    ) -> Response[Requested]:
        """Of every message that the conversation shows."""
        wish = ActionWish(action="flags", thread_ids=[thread_id], add=data.add, remove=data.remove)
        return await _ask(user, parts, wish, key)

    @post("/actions", operation_id="Act", status_code=200)
    async def act(
        self, *, user: CurrentUser, parts: Parts, data: JSONBody[ActionWish], key: Key = None
    ) -> Response[Requested]:
        """On a selection. 409 `no_mailbox_for` (with `use`, `account_id`, `candidates`) where there is none to move it to."""
        return await _ask(user, parts, data, key)

    @post("/accounts/{account_id:uuid}/mailboxes", operation_id="CreateMailbox", status_code=201)
    async def create_mailbox(
        self, *, user: CurrentUser, parts: Parts, account_id: FromPath[UUID], data: JSONBody[MailboxWish]
    ) -> Response[MailboxMade]:
        """For a use that the account has no mailbox for. 202: it is there, and sync has not found it yet."""
        made, known = await make(parts, user.user_id, account_id, data)
        return Response(made, status_code=201 if known else 202)


async def _ask(user: CurrentUser, parts: Parts, wish: ActionWish, key: str | None) -> Response[Requested]:
    asked = msgspec.json.encode(wish)
    return await ask(parts, user.user_id, partial(planned, user_id=user.user_id, wish=wish), key=key, asked=asked)
