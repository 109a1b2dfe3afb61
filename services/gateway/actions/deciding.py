"""From what is wished to what it changes: the placements that are meant, and the plan for them."""

from collections.abc import Sequence
from uuid import UUID

from projections.mail import placements, scopes
from projections.mail.errors import UnknownView
from projections.mail.placements import Shown
from projections.sql import Connection
from services.gateway.actions import plan
from services.gateway.actions.plan import Mailboxes, Wish
from services.gateway.actions.structs import ActionWish
from services.gateway.errors import Refused, not_found

SEARCH = "search"


async def planned(db: Connection, behind: bool, *, user_id: UUID, wish: ActionWish) -> list[Wish]:
    """What the action changes. Raises Refused, NoMailbox."""
    chosen = await placements.of_messages(db, user_id, wish.message_ids) if wish.message_ids else []
    scope = scope_of(user_id, wish.view)
    threads = await placements.of_threads(db, user_id, wish.thread_ids, scope_id=scope) if wish.thread_ids else []
    if not (chosen or threads):
        raise not_found("message" if wish.message_ids else "conversation")
    return decide(wish, chosen, threads, await mailboxes_for(db, user_id, wish), exact=not behind)


async def mailboxes_for(db: Connection, user_id: UUID, wish: ActionWish) -> Mailboxes:
    """Flags change where the mail is."""
    return Mailboxes(() if wish.action == "flags" else await placements.targets(db, user_id))


def decide(
    wish: ActionWish, chosen: Sequence[Shown], threads: Sequence[Shown], mailboxes: Mailboxes, *, exact: bool
) -> list[Wish]:
    """For messages that were `chosen` one by one, and what conversations show. Raises Refused, NoMailbox."""
    everything = [*chosen, *threads]
    match wish.action:
        case "flags":
            return plan.flags(everything, wish.add, wish.remove, exact=exact)
        case "move":
            if wish.mailbox_id is None:
                raise Refused(400, "invalid_request", "mailbox_id: Say where to move it.")
            return plan.move(chosen, threads, wish.mailbox_id, mailboxes)
        case "archive":
            return plan.archive(chosen, threads, mailboxes)
        case "junk":
            return plan.junk(chosen, threads, mailboxes)
        case "not_junk":
            return plan.not_junk(everything, mailboxes)
        case "trash":
            return plan.trash(everything, mailboxes)
        case _:
            return plan.delete(everything, mailboxes, confirmed=wish.confirmed)


def scope_of(user_id: UUID, view: str | None) -> UUID | None:
    """A search, whose conversations are listed nowhere, is no list."""
    try:
        return scopes.view(user_id, view) if view and view != SEARCH else None
    except UnknownView as unknown:
        raise Refused(400, "unknown_view", f"{unknown}, or search.") from None
