"""Whom mail may be to."""

from typing import Annotated

from litestar import Controller, get
from litestar.params import QueryParameter

from projections.recipients import reader
from services.gateway.deps import CurrentUser, Db
from services.gateway.messages.structs import Addr
from services.gateway.recipients.structs import Suggestions
from services.gateway.security import signed_in
from services.state import identities

Q = Annotated[str, QueryParameter(max_length=200)]


class RecipientController(Controller):
    """People known from the user's mail."""

    path = "/recipients"
    tags = ("drafts",)
    guards = (signed_in,)

    @get("/suggest", operation_id="SuggestRecipients")
    async def suggest(self, *, user: CurrentUser, db: Db, q: Q) -> Suggestions:
        """Ten at most, by the beginning of an address or of any word of a name; all words of `q` must fit."""
        own = {one.email.lower() for one in await identities.of_user(db, user.user_id)}
        found = await reader.suggest(db, user.user_id, q.replace("\0", ""), own=own)
        return Suggestions(recipients=[Addr(name=one.name, email=one.email) for one in found])
