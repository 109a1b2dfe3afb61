"""What nats-server is told about its users: one a role, each with what `contracts.streams` lets it publish and subscribe to."""

import secrets
from collections.abc import Mapping
from typing import Any

from contracts.streams import Role, permissions

ANSWER_WITHIN = "2m"
"""How long a role that answers requests may take for one."""


def passwords() -> dict[Role, str]:
    """A fresh password of 32 random bytes for every role, safe in a URL."""
    return {role: secrets.token_urlsafe(32) for role in Role}


def users(known: Mapping[Role, str]) -> list[dict[str, Any]]:
    """The `authorization.users` of nats-server's configuration, which contains JSON; all that is not allowed is denied."""
    return [_user(role, password) for role, password in known.items()]


def _user(role: Role, password: str) -> dict[str, Any]:
    may = permissions(role)
    rights: dict[str, Any] = {
        "publish": {"allow": list(may.publish)},
        "subscribe": {"allow": list(may.subscribe)},
    }
    if may.answers:
        rights["allow_responses"] = {"max": 1, "expires": ANSWER_WITHIN}
    return {"user": str(role), "password": password, "permissions": rights}
