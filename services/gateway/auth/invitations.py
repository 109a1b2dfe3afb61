"""Links by which an administrator lets somebody in."""

from datetime import UTC, datetime, timedelta

from litestar import Controller, post

from services.gateway.auth.structs import Invitation
from services.gateway.deps import Parts
from services.gateway.security import administrator, signed_in
from services.state import links

LIFE = timedelta(days=7)


class InvitationController(Controller):
    """Each lets one person in."""

    path = "/auth/invitations"
    tags = ("auth",)
    guards = (signed_in, administrator)

    @post(operation_id="Invite", status_code=201)
    async def invite(self, parts: Parts) -> Invitation:
        """The token stands after a `#`, so that no server and no log on the way learns it."""
        token = await links.invite(parts.db, LIFE)
        return Invitation(path=f"/register#{token}", expires_at=datetime.now(UTC) + LIFE)
