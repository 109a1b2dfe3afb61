"""Whoever carries out requests: the process, and the same code inside a test, which asks for no lease."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Self

import asyncpg

from contracts.provider import MailWriter
from contracts.streams import Role
from services.blobs import FolderBlobs
from services.log.connection import connect
from services.mail.budget import HostBudget, Places
from services.mail.imap.writer import ImapWriter
from services.mail.smtp.submission import Submission
from services.outbound.account import Parts, Patience
from services.outbound.partitions import Partition
from services.positions import Positions
from services.state.logins import Login, endpoint, for_imap, for_smtp
from services.vault import Vault
from tests.support.processes import PARTITIONS, Installation, kill9, stop


class Outbound:
    """The process, which a test may kill and start again."""

    def __init__(self, installed: Installation, **environ: str) -> None:
        self._installed = installed
        self._environ = environ
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            stop(self._process)

    def start(self) -> None:
        """Unless it runs."""
        if self._process is None:
            self._process = self._installed.start("outbound", **self._environ)

    def stop(self) -> None:
        """As an operator would."""
        assert self._process is not None
        stop(self._process)
        self._process = None

    def kill(self) -> None:
        assert self._process is not None
        kill9(self._process)
        self._process = None


@asynccontextmanager
async def parts(installed: Installation) -> AsyncIterator[Parts]:
    """What a process of the role has, and nothing else."""
    role = Role.OUTBOUND
    url = installed.nats.url.replace("://", f"://{role}:{installed.nats_passwords[role]}@")
    nc = await connect(url, role)
    dsn = installed.postgres.dsn_as("outbound", installed.dsn)
    async with asyncpg.create_pool(dsn, min_size=1, max_size=4) as db:
        known = Parts(
            nc=nc,
            db=db,
            positions=Positions(db, dsn, PARTITIONS),
            vault=Vault(installed.master_key),
            budget=HostBudget(50),
            blobs=FolderBlobs(installed.folder / "blobs"),
            connect=writer,
            submission=submission,
            turns=asyncio.Semaphore(10),
            submissions=asyncio.Semaphore(10),
            expires=timedelta(days=3),
            patience=Patience(sending=timedelta(minutes=5), looked_for=3, copy_awaited=0, mirrored_every=timedelta(0)),
            partitions=PARTITIONS,
            worker="test",
        )
        try:
            yield known
        finally:
            await nc.close()


def impatient() -> Patience:
    return Patience(sending=timedelta(minutes=5), looked_for=3, copy_awaited=0, mirrored_every=timedelta(0))


def submission(login: Login) -> Submission:
    assert login.smtp is not None
    return Submission(endpoint(login.smtp), for_smtp(login.smtp, login.credentials), HostBudget(50))


def writer(login: Login, places: Places) -> MailWriter:
    known = for_imap(login.endpoint, login.credentials)
    return ImapWriter(endpoint(login.endpoint), known, budget=places, trust=ssl.create_default_context())


@asynccontextmanager
async def holder(known: Parts, partition: int) -> AsyncIterator["asyncio.Task[None]"]:
    """Works on the partition as if it had the lease, until the end of the block."""
    task = asyncio.create_task(Partition(known, partition).work())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})
