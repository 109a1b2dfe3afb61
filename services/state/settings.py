"""What a user may set, its defaults, and its change."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from projections.sql import Connection, Statements

Order = Literal["asc", "desc"]
Language = Literal["en", "pl"]
Theme = Literal["system", "light", "dark"]
UndoWindow = Annotated[int, msgspec.Meta(ge=0, le=60)]

query = Statements("services.state", "settings.sql")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`thread_order`: oldest message first (`asc`) or newest first. `tz`: an IANA time zone.

    `undo_window`: seconds in which sending can be taken back.
    """

    thread_order: Order
    tz: str
    language: Language
    theme: Theme
    undo_window: UndoWindow


class SettingsChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays."""

    thread_order: Order | UnsetType = UNSET
    tz: str | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    theme: Theme | UnsetType = UNSET
    undo_window: UndoWindow | UnsetType = UNSET


DEFAULT = Settings(thread_order="asc", tz="UTC", language="en", theme="system", undo_window=10)


def stored(column: str) -> Settings:
    """The column holds what was set; the rest has its default, also what an older version did not know."""
    return msgspec.convert({**msgspec.to_builtins(DEFAULT), **msgspec.json.decode(column)}, Settings)


async def change(db: Connection, user_id: UUID, change: SettingsChange) -> Settings:
    column = await db.fetchval(query.change_settings, user_id, msgspec.json.encode(change).decode())
    return stored(column)
