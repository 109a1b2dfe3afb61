"""`webmail users`: who is here, links to sign up and to choose a new password, and who may invite."""

import argparse
import sys
from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import UUID

import asyncpg

from projections.sql import Pool, Statements
from services.admin.environment import data_option, perform
from services.admin.errors import CommandFailed
from services.config import Settings
from services.runtime import Runtime
from services.state import factors, links

query = Statements("services.admin", "users.sql")

DAYS = 7


def options(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listed = actions.add_parser("list", help="everybody, one a line")
    invite = actions.add_parser("invite", help="print a link by which one person may sign up")
    invite.add_argument("--days", type=int, default=DAYS, help=f"how long it is good (default: {DAYS})")
    reset = actions.add_parser("reset", help="print a link by which a user chooses a new password; good for 30 minutes")
    reset.add_argument("--second-factor", action="store_true", help="also switch two-step sign-in off: the app is lost")
    appoint = actions.add_parser("appoint", help="make a user an administrator, who may invite others")
    dismiss = actions.add_parser("dismiss", help="take that right away again")
    for one in (reset, appoint, dismiss):
        one.add_argument("handle", help="the handle, or the part before the @")
    for one in (invite, reset):
        one.add_argument("--address", help="where people open webmail (default: PUBLIC_URL)")
    for one in (listed, invite, reset, appoint, dismiss):
        data_option(one)


def run(chosen: argparse.Namespace) -> int:
    async def work(runtime: Runtime) -> None:
        async with await runtime.open_pool(size=1) as db:
            await _ACTIONS[chosen.action](db, runtime.settings, chosen)

    return perform(chosen.data, work)


async def _list(db: Pool, _settings: Settings, _chosen: argparse.Namespace) -> None:
    for row in await db.fetch(query.list_users):
        sys.stdout.write(f"{row['handle']}  {', '.join(_traits(row))}\n")


def _traits(row: asyncpg.Record) -> list[str]:
    traits = [
        ("leaving", row["leaving"]),
        ("administrator", row["is_admin"]),
        ("two-step sign-in", row["has_code"]),
        (f"{row['passkeys']} passkeys", row["passkeys"]),
    ]
    dates = [f"since {row['created_at']:%Y-%m-%d}", f"last here {row['seen_at']:%Y-%m-%d}"]
    return [f"{row['accounts']} accounts", *(name for name, true in traits if true), *dates]


async def _invite(db: Pool, settings: Settings, chosen: argparse.Namespace) -> None:
    if chosen.days < 1:
        raise CommandFailed("an invitation is good for a day at least")
    token = await links.invite(db, timedelta(days=chosen.days))
    sys.stdout.write(f"{_address(settings, chosen)}/register#{token}\n")


async def _reset(db: Pool, settings: Settings, chosen: argparse.Namespace) -> None:
    user_id = await _whose(db, settings, chosen.handle)
    async with db.acquire() as connection, connection.transaction():
        if chosen.second_factor:
            await factors.disable(connection, user_id)
        token = await links.reset(connection, user_id)
    sys.stdout.write(f"{_address(settings, chosen)}/reset#{token}\n")


async def _appoint(db: Pool, settings: Settings, chosen: argparse.Namespace) -> None:
    await db.execute(query.appoint, await _whose(db, settings, chosen.handle), chosen.action == "appoint")


_ACTIONS: dict[str, Callable[[Pool, Settings, argparse.Namespace], Awaitable[None]]] = {
    "list": _list,
    "invite": _invite,
    "reset": _reset,
    "appoint": _appoint,
    "dismiss": _appoint,
}


async def _whose(db: Pool, settings: Settings, handle: str) -> UUID:
    full = handle if "@" in handle else f"{handle}@{settings.app_domain}"
    user_id: UUID | None = await db.fetchval(query.find_handle, full)
    if user_id is None:
        raise CommandFailed(f"nobody here is {full}")
    return user_id


def _address(settings: Settings, chosen: argparse.Namespace) -> str:
    address: str = chosen.address or settings.public_url
    return address.rstrip("/")
