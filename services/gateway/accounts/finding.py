"""Before an account is added: which servers an address has, and whether what was typed works there. Nothing is kept."""

from datetime import timedelta
from typing import Literal
from uuid import UUID

import msgspec

from services.gateway.accounts import wishes
from services.gateway.accounts.advice import advice
from services.gateway.accounts.asking import ask
from services.gateway.accounts.connect import PATIENCE, TRIES, seal
from services.gateway.accounts.structs import Server
from services.gateway.deps import Gateway
from services.gateway.errors import Refused
from services.gateway.limits import count
from services.state.accounts import Endpoint

DISCOVER, TEST = "rpc.sync.discover", "rpc.sync.account.test"
SEARCHES = 10
"""Of one user in a minute (§10.5)."""

SEARCH_PATIENCE = 20
"""Seconds; three rounds of at most five."""


class Address(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose servers are looked for."""

    email: str


class FoundServer(msgspec.Struct, frozen=True, kw_only=True):
    """Never one without TLS."""

    host: str
    port: int
    tls: Literal["ssl", "starttls"]
    username: str


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Settings to be tested. `origin`: who said so. `auth`: the ways in, the best one first. `help`: which words to show.

    `foreign`: the hosts are of another domain than the address and only DNS says so.
    """

    source: Literal["preset", "autoconfig", "ispdb", "srv", "mx", "probe"]
    origin: str
    imap: FoundServer
    smtp: FoundServer | None
    auth: list[Literal["password", "app_password", "oauth:google", "oauth:microsoft"]]
    help: str | None
    foreign: bool


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One way of looking and what came of it."""

    method: Literal["preset", "autoconfig", "ispdb", "srv", "mx", "probe"]
    status: Literal["found", "nothing", "failed"]
    detail: str
    ms: int


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """`candidates`: empty when nobody knows; `steps`: how we looked, in order."""

    candidates: list[Candidate]
    steps: list[Step]


class Trial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings to be tried as they are."""

    imap: Server
    smtp: Server | None


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: null when it went well. `message`: what to do; `detail`: the server's own words."""

    name: Literal["imap_connect", "imap_login", "smtp_connect", "smtp_login"]
    ms: int
    code: str | None
    message: str
    detail: str


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """In their order; a server's last one is its first that failed."""

    checks: list[Check]


class _Sealed(msgspec.Struct, frozen=True, kw_only=True):
    imap: Endpoint
    smtp: Endpoint | None
    sealed: bytes


class _Check(msgspec.Struct, frozen=True, kw_only=True):
    name: Literal["imap_connect", "imap_login", "smtp_connect", "smtp_login"]
    ms: int
    code: str | None = None
    detail: str = ""


class _Outcome(msgspec.Struct, frozen=True, kw_only=True):
    checks: list[_Check]


async def discover(parts: Gateway, user_id: UUID, address: Address) -> Found:
    """Raises Refused."""
    wishes.check_email(address.email)
    await count(parts.db, {f"discover:{user_id}": SEARCHES}, timedelta(minutes=1))
    return await ask(parts, DISCOVER, address, Found, patience=SEARCH_PATIENCE)


async def test(parts: Gateway, user_id: UUID, trial: Trial) -> Checks:
    """Counts as adding does: sync knocks at whatever server somebody names. Raises Refused."""
    wishes.check_servers(trial.imap, trial.smtp)
    await count(parts.db, {f"connect:{user_id}": TRIES})
    wish = _Sealed(
        imap=wishes.endpoint(trial.imap),
        smtp=wishes.endpoint(trial.smtp) if trial.smtp else None,
        sealed=seal(parts, trial.imap, trial.smtp),
    )
    outcome = await ask(parts, TEST, wish, _Outcome, patience=PATIENCE)
    if not outcome.checks:
        raise Refused(503, "sync_unavailable", "Nothing could be tested. Try again in a minute.")
    return Checks(checks=[_shown(check) for check in outcome.checks])


def _shown(check: _Check) -> Check:
    message = "" if check.code is None else advice(check.code, "")
    return Check(name=check.name, ms=check.ms, code=check.code, message=message, detail=check.detail)
