"""`webmail vault rotate`: every account's secret goes under the new MASTER_KEY while everything works.

It holds what sync holds, and no other administrator's command does. What is done stays done, so it may be given again.
"""

import argparse
import sys
from collections.abc import AsyncIterator, Mapping
from uuid import UUID

import structlog

from projections.sql import Pool, Statements
from services.admin.environment import EXPECTED, SERVERS, carry_out, data_folder, data_option, told
from services.admin.errors import CommandFailed
from services.config import Settings, from_environment, refuse_foreign_secrets, settings
from services.embedded.folder import DataFolder
from services.runtime import Runtime
from services.vault import Vault, VaultError

query = Statements("services.admin", "vault.sql")

AT_ONCE = 200

KEYS = ("MASTER_KEY", "MASTER_KEY_PREVIOUS")

log = structlog.get_logger()


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("rotate",))
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    try:
        known = _keyholder(chosen)
    except EXPECTED as error:
        return told(error)
    return carry_out(known, _rotate)


def _keyholder(chosen: argparse.Namespace) -> Settings:
    """Sync's environment, or its keys in the data folder of a `webmail up`."""
    environ: Mapping[str, str] = from_environment()
    refuse_foreign_secrets("sync", environ)
    if not any(environ.get(name) for name in SERVERS):
        folder = DataFolder(data_folder(chosen.data, environ))
        running = folder.running_environment()
        if not running:
            raise CommandFailed(f"no webmail has run on {folder.root}: set {' and '.join((*SERVERS, *KEYS))}")
        held = folder.secrets("sync")
        environ = {**environ, **running, **{name: held[name] for name in KEYS if name in held}}
    for name in KEYS:
        if not environ.get(name):
            raise CommandFailed(f"{name} is not set: give the new key as {KEYS[0]} and the one before as {KEYS[1]}")
    return settings(environ)


async def _rotate(runtime: Runtime) -> None:
    known = runtime.settings
    if known.master_key is None or known.master_key == known.master_key_previous:
        raise CommandFailed(f"{KEYS[0]} and {KEYS[1]} are the same key")
    async with await runtime.open_pool(size=1) as db:
        moved, unreadable, total = await rotate(db, Vault(known.master_key, known.master_key_previous))
    sys.stdout.write(f"{moved} of {total} secrets moved to the new key, {total - moved - unreadable} were there\n")
    if unreadable:
        raise CommandFailed(f"{unreadable} secrets open with neither key: their owners have to connect again")


async def rotate(db: Pool, vault: Vault) -> tuple[int, int, int]:
    """How many secrets moved, how many neither key opens, and how many there are."""
    moved = unreadable = total = 0
    async for account_id, sealed in _secrets(db):
        total += 1
        try:
            renewed = vault.renewed(account_id, sealed)
        except VaultError:
            log.warning("secret opens with neither key", account_id=str(account_id))
            unreadable += 1
            continue
        if renewed is not None and await db.fetchval(query.rewrap, account_id, sealed, renewed) is not None:
            moved += 1
    return moved, unreadable, total


async def _secrets(db: Pool) -> AsyncIterator[tuple[UUID, bytes]]:
    last: UUID | None = None
    while rows := await db.fetch(query.after, last, AT_ONCE):
        for row in rows:
            yield row["account_id"], row["sealed"]
        last = rows[-1]["account_id"]
