"""`rpc.sync.oauth.exchange`: the code that a provider gave for tokens, and whether an account works with them (design §5)."""

from collections.abc import Mapping
from uuid import UUID

import msgspec
import structlog

from services.database import UNAVAILABLE
from services.log.connection import Connection
from services.oauth.errors import OAuthError
from services.oauth.tokens import Endpoint
from services.state.accounts import Endpoint as Server
from services.sync.accounts import Tried
from services.sync.connect import Connected, Connector, Failure
from services.sync.serve import serve
from services.vault import Credentials, VaultError, unseal

SUBJECT = "rpc.sync.oauth.exchange"

log = structlog.get_logger()


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What the gateway asks; `code` and `verifier` are sealed."""

    user_id: UUID
    account_id: UUID
    provider: str
    imap: Server
    smtp: Server
    code: bytes
    verifier: bytes
    redirect_uri: str


class Exchanger:
    """Has what the gateway may not see: the client's secret, and what the provider gives for a code."""

    def __init__(
        self, nc: Connection, private_key: bytes, endpoints: Mapping[str, Endpoint], connector: Connector
    ) -> None:
        self._nc = nc
        self._private_key = private_key
        self._endpoints = endpoints
        self._connector = connector

    async def run(self) -> None:
        """Answer until cancelled."""
        await serve(self._nc, SUBJECT, self._respond)

    async def _respond(self, asked: bytes) -> bytes:
        try:
            answer = await self._exchange(msgspec.json.decode(asked, type=Exchange))
        except (msgspec.MsgspecError, VaultError, UnicodeDecodeError) as error:
            log.warning("exchange not understood", error=type(error).__name__)
            answer = _failed("internal")
        except OAuthError as error:
            log.warning("code not exchanged", error=type(error).__name__, reason=str(error))
            answer = _failed("sign_in_failed")
        except UNAVAILABLE as error:
            log.warning("exchange failed", error=type(error).__name__)
            answer = _failed("internal")
        return msgspec.json.encode(answer)

    async def _exchange(self, wish: Exchange) -> Connected:
        endpoint = self._endpoints.get(wish.provider)
        if endpoint is None:
            return _failed("not_set_up")
        tokens = await endpoint.exchange(
            code=unseal(self._private_key, wish.code).decode(),
            verifier=unseal(self._private_key, wish.verifier).decode(),
            redirect_uri=wish.redirect_uri,
        )
        given = Tried(wish.imap, wish.smtp, Credentials(oauth=tokens))
        return await self._connector.keep(wish.user_id, wish.account_id, given)


def _failed(code: str) -> Connected:
    return Connected(error=Failure(code=code, detail=""))
