"""A user's settings, and what the client must know before anyone is signed in."""

from typing import Any, Literal

import msgspec
from litestar import Controller, Request, delete, get, patch
from litestar.params import JSONBody
from msgspec import UNSET

from services.config import OAuthName
from services.gateway.deps import CurrentUser, Db, Parts
from services.gateway.errors import not_found
from services.gateway.security import cookies_work, signed_in
from services.gateway.settings.zones import known_zone
from services.state import images, settings
from services.state.settings import Settings, SettingsChange


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """`secure`: whether browsers keep our cookies at this address; if not, signing in needs TLS.

    `recovery`: whether links for a new password are sent by mail.

    `oauth`: the providers at which accounts may be signed in.
    """

    app_domain: str
    registration: Literal["open", "invite", "closed"]
    secure: bool
    recovery: bool
    oauth: list[OAuthName]


class ImageSenders(msgspec.Struct, frozen=True, kw_only=True):
    """Whose remote images are loaded without asking, by address."""

    senders: list[str]


class ImageSender(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of them."""

    sender: str


class ConfigController(Controller):
    """Public."""

    path = "/config"
    tags = ("settings",)

    @get(operation_id="GetConfig")
    async def config(self, request: Request[Any, Any, Any], parts: Parts) -> Config:
        return Config(
            app_domain=parts.settings.app_domain,
            registration=parts.settings.registration,
            secure=cookies_work(request),
            recovery=bool(parts.settings.system_mail_from),
            oauth=sorted(parts.settings.oauth),
        )


class SettingsController(Controller):
    """Saved at once, each by itself."""

    path = "/settings"
    tags = ("settings",)
    guards = (signed_in,)

    @get(operation_id="GetSettings")
    async def read(self, user: CurrentUser) -> Settings:
        return user.settings

    @patch(operation_id="ChangeSettings")
    async def change(self, user: CurrentUser, db: Db, data: JSONBody[SettingsChange]) -> Settings:
        """What is left out stays."""
        if data.tz is not UNSET:
            known_zone(data.tz)
        return await settings.change(db, user.user_id, data)

    @get("/image-senders", operation_id="ListImageSenders")
    async def senders(self, user: CurrentUser, db: Db) -> ImageSenders:
        return ImageSenders(senders=await images.senders(db, user.user_id))

    @delete("/image-senders", operation_id="ForbidImageSender")
    async def forbid(self, user: CurrentUser, db: Db, data: JSONBody[ImageSender]) -> None:
        """From here on each of this sender's messages asks again."""
        if not await images.forbid_sender(db, user.user_id, data.sender.replace("\0", "")):
            raise not_found("sender")
