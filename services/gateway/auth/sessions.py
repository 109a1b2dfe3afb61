"""Where one is signed in, and ending it there."""

from uuid import UUID

from litestar import Controller, delete, get
from litestar.params import FromPath

from services.gateway.auth.structs import Session, SessionList
from services.gateway.deps import CurrentUser, Parts
from services.gateway.errors import not_found
from services.gateway.security import signed_in
from services.state import sessions


class SessionController(Controller):
    """What ends here ends at once in every gateway, sockets too."""

    path = "/auth/sessions"
    tags = ("auth",)
    guards = (signed_in,)

    @get(operation_id="ListSessions")
    async def listed(self, user: CurrentUser, parts: Parts) -> SessionList:
        return SessionList(
            sessions=[
                Session(**one._asdict(), current=one.id == user.id)
                for one in await sessions.listed(parts.db, user.user_id)
            ]
        )

    @delete(operation_id="EndOtherSessions")
    async def end_others(self, user: CurrentUser, parts: Parts) -> None:
        """All but this one."""
        await sessions.end_others(parts.db, user.user_id, user.id)

    @delete("/{session_id:uuid}", operation_id="EndSession")
    async def end(self, user: CurrentUser, parts: Parts, session_id: FromPath[UUID]) -> None:
        if not await sessions.end(parts.db, user.user_id, session_id):
            raise not_found("session")
