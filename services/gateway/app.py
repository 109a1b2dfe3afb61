"""The gateway's application, made from the parts of its process."""

from litestar import Litestar, Router
from litestar.datastructures import State

from services.gateway import openapi
from services.gateway.accounts.controller import AccountController
from services.gateway.accounts.oauth import OAuthController
from services.gateway.actions.controller import ActionController
from services.gateway.attachments.controller import AttachmentController
from services.gateway.auth.changing import PasswordController
from services.gateway.auth.controller import AuthController
from services.gateway.auth.invitations import InvitationController
from services.gateway.auth.passkeys import PasskeyController
from services.gateway.auth.recovery import RecoveryController
from services.gateway.auth.second_factor import SecondFactorController
from services.gateway.auth.sessions import SessionController
from services.gateway.bulk.controller import BulkController
from services.gateway.deps import DEPENDENCIES, Gateway
from services.gateway.drafts.controller import DraftController
from services.gateway.errors import HANDLERS
from services.gateway.health.controller import healthz, readyz
from services.gateway.history.controller import HistoryController
from services.gateway.identities.controller import AccountIdentityController, IdentityController
from services.gateway.messages.controller import MessageController
from services.gateway.printing.controller import PrintController
from services.gateway.realtime.socket import events
from services.gateway.recipients.controller import RecipientController
from services.gateway.security import add_headers, same_origin
from services.gateway.sending.controller import SendController
from services.gateway.settings.controller import ConfigController, SettingsController
from services.gateway.sources.controller import SourceController
from services.gateway.static.controller import bundle
from services.gateway.sync.controller import SyncController
from services.gateway.threads.controller import ThreadController

BODY_LIMIT = 1 << 20


def app(gateway: Gateway | None = None) -> Litestar:
    """Without parts it answers nothing, but its OpenAPI document is whole."""
    return Litestar(
        [
            Router(
                "/api",
                route_handlers=[
                    AuthController,
                    PasswordController,
                    RecoveryController,
                    SessionController,
                    SecondFactorController,
                    PasskeyController,
                    InvitationController,
                    ConfigController,
                    SettingsController,
                    AccountController,
                    OAuthController,
                    AccountIdentityController,
                    IdentityController,
                    SyncController,
                    ThreadController,
                    PrintController,
                    MessageController,
                    SourceController,
                    AttachmentController,
                    ActionController,
                    BulkController,
                    HistoryController,
                    DraftController,
                    SendController,
                    RecipientController,
                    events,
                    openapi.served,
                ],
            ),
            healthz,
            readyz,
            bundle,
        ],
        dependencies=DEPENDENCIES,
        guards=[same_origin],
        exception_handlers=HANDLERS,
        before_send=[add_headers],
        state=State({"gateway": gateway}),
        openapi_config=openapi.CONFIG,
        request_max_body_size=BODY_LIMIT,
        logging_config=None,
    )
