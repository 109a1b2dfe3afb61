"""`rpc.sync.account.test`: what works and what doesn't with the settings that somebody typed; nothing is kept."""

import functools

import msgspec
import structlog

from services.log.connection import Connection
from services.mail import trial
from services.mail.budget import HostBudget
from services.mail.discovery.outside import Outside
from services.mail.trial import Check
from services.state.accounts import Endpoint
from services.state.logins import endpoint, for_imap, for_smtp
from services.sync.serve import serve
from services.vault import Credentials, VaultError, unseal

SUBJECT = "rpc.sync.account.test"

log = structlog.get_logger()


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway asks; `sealed` holds the vault's Credentials."""

    imap: Endpoint
    smtp: Endpoint | None
    sealed: bytes


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """None at all: the request was not understood."""

    checks: list[Check]


class Trier:
    """Tries typed settings in this process' own share of connections."""

    def __init__(self, outside: Outside, budget: HostBudget) -> None:
        self._outside = outside
        self._budget = budget

    async def run(self, nc: Connection, private_key: bytes) -> None:
        """Answer until cancelled."""
        await serve(nc, SUBJECT, functools.partial(self._respond, private_key))

    async def checks(self, imap: Endpoint, smtp: Endpoint | None, typed: Credentials) -> list[Check]:
        """Both servers at once; the first that fails of each is its last."""
        return await trial.attempt(
            (endpoint(imap), for_imap(imap, typed)),
            (endpoint(smtp), for_smtp(smtp, typed)) if smtp else None,
            self._outside.reach,
            self._outside.trust,
            self._budget,
        )

    async def _respond(self, private_key: bytes, asked: bytes) -> bytes:
        made: list[Check] = []
        try:
            wish = msgspec.json.decode(asked, type=Wish)
            typed = Credentials.decoded(unseal(private_key, wish.sealed))
        except (msgspec.MsgspecError, VaultError) as error:
            log.warning("account test not understood", error=type(error).__name__)
        else:
            made = await self.checks(wish.imap, wish.smtp, typed)
        return msgspec.json.encode(Outcome(checks=made))
