"""Accounts as the API shows them: the row, how its sync is doing, and its mailboxes with their counts."""

import asyncio
from collections import defaultdict
from uuid import UUID

from contracts.facts import AccountState, SpecialUse
from projections.accounts_state import reader as states
from projections.accounts_state.rows import AccountRow
from projections.mail import reader as mail
from projections.mail.rows import MailboxRow
from projections.sql import Connection, Statements
from services.gateway.accounts.advice import ADVICE
from services.gateway.accounts.structs import Account, Mailbox, MailServer, Progress, Proof, Quota
from services.gateway.deps import Gateway
from services.gateway.identities.shown import shown as shown_identity
from services.gateway.identities.structs import Identity
from services.gateway.sync.shown import shown as shown_job
from services.jobs.job import Job
from services.log.errors import LogError
from services.state import accounts, identities

query = Statements("services.gateway.accounts", "read.sql")

JOBS_WITHIN = 1.0
"""Seconds that accounts wait for what the log knows of their jobs."""


async def shown(parts: Gateway, db: Connection, user_id: UUID) -> list[Account]:
    """In the order in which they were added."""
    mailboxes: defaultdict[UUID, list[MailboxRow]] = defaultdict(list)
    for row in await mail.mailboxes(db, user_id):
        mailboxes[row.account_id].append(row)
    state = await states.accounts(db, user_id)
    own: defaultdict[UUID, list[Identity]] = defaultdict(list)
    for identity in await identities.of_user(db, user_id):
        own[identity.account_id].append(shown_identity(identity))
    proofs = await parts.proofs.of(db, user_id, state)
    quotas = {
        row["account_id"]: Quota(used=row["used"], limit=row["allowed"])
        for row in await db.fetch(query.quotas, user_id)
    }
    jobs = await _jobs(parts, user_id)
    return [
        _account(
            row,
            state.get(row.id),
            mailboxes[row.id],
            own=own[row.id],
            quota=quotas.get(row.id),
            proof=proofs.get(row.id),
            jobs=jobs,
        )
        for row in await accounts.active(db, user_id)
    ]


async def _jobs(parts: Gateway, user_id: UUID) -> list[Job] | None:
    """Mail is read without the log, so accounts are shown without it too."""
    try:
        async with asyncio.timeout(JOBS_WITHIN):
            return await parts.jobs.currents(user_id)
    except (LogError, TimeoutError):
        return None


def _account(
    row: accounts.Account,
    state: AccountRow | None,
    mailboxes: list[MailboxRow],
    *,
    own: list[Identity],
    quota: Quota | None,
    proof: Proof | None,
    jobs: list[Job] | None,
) -> Account:
    code = state.code if state else ""
    return Account(
        id=row.id,
        email=row.email,
        display_name=row.display_name,
        color=row.color,
        imap=_server(row.imap),
        smtp=_server(row.smtp) if row.smtp else None,
        paused=row.paused,
        state=state.state if state else AccountState.CONNECTING,
        state_code=code or None,
        state_detail=ADVICE.get(code, "") if code else "",
        progress=Progress(synced=state.synced if state else 0, total=state.total if state else 0),
        unread=sum(mailbox.unread for mailbox in mailboxes if mailbox.special_use == SpecialUse.INBOX),
        last_sync_at=state.last_sync_at if state else None,
        mailboxes=[_mailbox(mailbox) for mailbox in mailboxes],
        special_uses=row.special_uses,
        identities=own,
        quota=quota,
        proof=proof,
        jobs=None if jobs is None else [shown_job(job) for job in jobs if job.account_id == row.id],
    )


def _server(row: accounts.Endpoint) -> MailServer:
    return MailServer(host=row.host, port=row.port, tls=row.tls, username=row.username, auth=row.auth)


def _mailbox(row: MailboxRow) -> Mailbox:
    return Mailbox(
        id=row.id,
        path=row.path,
        name=row.name,
        delimiter=row.delimiter,
        special_use=SpecialUse(row.special_use) if row.special_use else None,
        selectable=row.selectable,
        unread=row.unread,
        total=row.total,
    )
