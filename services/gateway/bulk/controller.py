"""Jobs that act on everything: begun, looked at, stopped, taken back."""

from typing import Annotated
from uuid import UUID, uuid4

import msgspec
from litestar import Controller, get, post
from litestar.params import FromPath, HeaderParameter, JSONBody

from projections.sql import Connection
from services.gateway.actions.controller import no_mailbox
from services.gateway.actions.plan import NoMailbox
from services.gateway.actions.requests import KEY_REUSED, Facts, caught_up, digest
from services.gateway.bulk import snapshot
from services.gateway.bulk.shown import job
from services.gateway.bulk.structs import EverythingWish, Job, Jobs
from services.gateway.deps import CurrentUser, Db, Parts, as_user
from services.gateway.errors import Refused, not_found
from services.gateway.security import signed_in
from services.state import bulk
from services.state.bulk import Piece

MOST_OPEN = 3
"""Jobs of one user at a time."""

Key = Annotated[str | None, HeaderParameter(name="Idempotency-Key", max_length=200)]


class BulkController(Controller):
    """A job asks in pieces, in the order of the list, and goes on when the process that asks is killed.

    What it means is what the list holds when it is begun.
    """

    path = "/actions"
    tags = ("actions",)
    guards = (signed_in,)
    exception_handlers = {NoMailbox: no_mailbox}  # noqa: RUF012 - Litestar's own shape

    @post("/everything", operation_id="ActOnEverything", status_code=202)
    async def everything(
        self, *, user: CurrentUser, parts: Parts, data: JSONBody[EverythingWish], key: Key = None
    ) -> Job:
        """On all of a list. A header `Idempotency-Key` makes a repetition the same job. 409 as for a selection, and
        `too_many`, `too_many_jobs`, `not_confirmed`.
        """
        exact = await caught_up(parts, user.user_id)
        asked = digest(msgspec.json.encode(data))
        async with as_user(parts.db, user.user_id) as db:
            known = await bulk.known(db, user.user_id, key) if key else None
            if known is not None:
                job_id, before = known
                if before != asked:
                    raise Refused(409, "key_reused", KEY_REUSED)
                return await _job(db, user.user_id, job_id)
            job_id = uuid4()
            await _room(db, user.user_id)
            facts = await snapshot.of_list(db, user.user_id, job_id, data, exact=exact)
            await bulk.add(db, user.user_id, job_id, pieces(facts), action=data.action, asked=asked, key=key)
            return await _job(db, user.user_id, job_id)

    @get("/jobs", operation_id="ListJobs")
    async def jobs(self, *, user: CurrentUser, db: Db) -> Jobs:
        """The newest twenty."""
        return Jobs(jobs=[job(row) for row in await bulk.jobs(db, user.user_id)])

    @get("/jobs/{job_id:uuid}", operation_id="GetJob")
    async def one(self, *, user: CurrentUser, db: Db, job_id: FromPath[UUID]) -> Job:
        """How far it is."""
        return await _job(db, user.user_id, job_id)

    @post("/jobs/{job_id:uuid}/cancel", operation_id="CancelJob", status_code=200)
    async def cancel(self, *, user: CurrentUser, db: Db, job_id: FromPath[UUID]) -> Job:
        """Nothing more of it is begun; what is done stays done, and can be taken back."""
        await bulk.cancel(db, user.user_id, job_id)
        return await _job(db, user.user_id, job_id)

    @post("/jobs/{job_id:uuid}/undo", operation_id="UndoJob", status_code=202)
    async def undo(self, *, user: CurrentUser, parts: Parts, job_id: FromPath[UUID]) -> Job:
        """A job that takes back all that this one did. 409 `not_undoable`, with the reason, where that can't be done."""
        await caught_up(parts, user.user_id)
        async with as_user(parts.db, user.user_id) as db:
            under_way = await bulk.undoing(db, user.user_id, job_id)
            if under_way is not None:
                return await _job(db, user.user_id, under_way)
            wanted = await _job(db, user.user_id, job_id)
            if not wanted.settled:
                raise Refused(409, "not_undoable", "It is still under way. Cancel it first, or wait until it is done.")
            await _room(db, user.user_id)
            facts = await snapshot.taken_back(db, user.user_id, await bulk.requests(db, user.user_id, job_id))
            new, asked = uuid4(), digest(job_id.bytes)
            await bulk.add(db, user.user_id, new, pieces(facts), action="undo", asked=asked, undoes=job_id)
            return await _job(db, user.user_id, new)


def pieces(facts: Facts) -> list[Piece]:
    return [
        Piece(one.account_id, one.request_id, msgspec.json.encode(one).decode(), len(one.message_ids)) for one in facts
    ]


async def _room(db: Connection, user_id: UUID) -> None:
    if await bulk.open_jobs(db, user_id) >= MOST_OPEN:
        raise Refused(409, "too_many_jobs", "Wait until one of those under way is done, or cancel one.")


async def _job(db: Connection, user_id: UUID, job_id: UUID) -> Job:
    found = await bulk.jobs(db, user_id, job_id=job_id)
    if not found:
        raise not_found("job")
    return job(found[0])
