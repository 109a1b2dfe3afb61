"""The outbound process: changes and sends mail as it is asked to, for the partitions whose lease it gets."""

import asyncio
import contextlib
import gc
import ssl
from datetime import timedelta
from ipaddress import ip_network

import uvloop

from contracts.provider import MailWriter
from projections.sql import Pool
from services import owner
from services.blobs import open_blobs
from services.config import ConfigurationError, Settings
from services.log.apply import check
from services.mail.budget import HostBudget, Places
from services.mail.imap.writer import ImapWriter
from services.mail.smtp.submission import Submission
from services.outbound.account import Parts, Patience
from services.outbound.errors import CannotBe
from services.outbound.making import Maker
from services.outbound.partitions import own
from services.outbound.system_mail import Sender
from services.positions import Positions
from services.reach import Reach
from services.runtime import Runtime, run
from services.state.logins import Login, endpoint, for_imap, for_smtp
from services.vault import Vault

AT_ONCE = 64
"""Accounts that speak to their servers at the same time."""


async def main(runtime: Runtime) -> None:
    """Refuses to start on a log that is not as declared."""
    settings = runtime.settings
    if settings.master_key is None:
        raise ConfigurationError("MASTER_KEY is not set: outbound needs it, as `webmail up` generates it")
    vault = Vault(settings.master_key, settings.master_key_previous)
    budget = HostBudget(settings.per_host_conn_cap)
    reach, trust = Reach([ip_network(network) for network in settings.ssrf_allow]), ssl.create_default_context()

    def writer(login: Login, places: Places) -> MailWriter:
        known = for_imap(login.endpoint, login.credentials)
        return ImapWriter(endpoint(login.endpoint), known, budget=places, trust=trust, reach=reach)

    def submission(login: Login) -> Submission:
        if login.smtp is None:
            raise CannotBe("no_submission")
        known = for_smtp(login.smtp, login.credentials)
        return Submission(endpoint(login.smtp), known, budget, trust=trust, reach=reach)

    async with contextlib.AsyncExitStack() as stack:
        nc = await runtime.connect_nats()
        stack.push_async_callback(nc.close)
        await check(nc, settings.partitions)
        db = await stack.enter_async_context(await runtime.open_pool(size=8))
        parts = Parts(
            nc=nc,
            db=db,
            positions=Positions(db, settings.database_url, settings.partitions),
            vault=vault,
            budget=budget,
            blobs=open_blobs(settings),
            connect=writer,
            submission=submission,
            turns=asyncio.Semaphore(AT_ONCE),
            submissions=asyncio.Semaphore(AT_ONCE),
            expires=timedelta(seconds=settings.request_expires),
            patience=Patience(
                sending=timedelta(seconds=settings.send_expires),
                looked_for=settings.send_looked_for,
                copy_awaited=settings.send_copy_awaited,
                mirrored_every=timedelta(seconds=settings.drafts_mirrored_every),
            ),
            partitions=settings.partitions,
            worker=owner.this_process(),
        )
        gc.freeze()
        async with asyncio.TaskGroup() as group:
            if settings.system_smtp_url:
                group.create_task(_system_mail(settings, db, trust).run())
            group.create_task(parts.positions.listen())
            group.create_task(Maker(nc, db, vault, writer, parts.budget).run())
            for partition in range(settings.partitions):
                group.create_task(own(parts, partition))


def _system_mail(settings: Settings, db: Pool, trust: ssl.SSLContext) -> Sender:
    if settings.sync_private_key is None or not settings.system_mail_from:
        raise ConfigurationError("SYSTEM_SMTP_URL is set without SYSTEM_MAIL_FROM and SYNC_PRIVATE_KEY, which it needs")
    return Sender(db, settings.sync_private_key, settings.system_smtp_url, settings.system_mail_from, trust)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("outbound", main)
