"""Loads what `threads.join` needs to know, and stores what it decides."""

from collections.abc import Collection, Sequence
from uuid import UUID

from contracts import ids
from projections.engine.transaction import Transaction
from projections.mail import threads
from projections.mail.statements import apply, columns, plain
from projections.mail.threads import Joined, Letter, Member, Neighbour, Ref, State


async def join(letters: Sequence[Letter], tx: Transaction) -> Joined:
    """Decide the conversations of letters that are not stored yet. `store` has to follow, after their rows."""
    return threads.join(letters, await load(letters, tx))


async def load(letters: Sequence[Letter], tx: Transaction) -> State:
    refs, opened = await _refs({ref for one in letters for ref in (*one.own, *one.mentions)}, tx)
    if uniques := threads.uniques(letters, refs):
        more, before = await _refs(uniques, tx)
        refs, opened = refs | more, opened | before
    subjects = [(one.message_id, one.base, one.sent_at, one.answering) for one in letters if one.base is not None]
    found = await tx.fetch(apply.neighbours, *columns(subjects, 4))
    neighbours = [
        Neighbour(
            row["id"],
            row["thread_id"],
            row["sent_at"],
            row["base"],
            frozenset(row["people"]),
            row["answering"],
            row["answers"],
            row["answered_at"],
        )
        for row in found
    ]
    return State(refs, opened | {row["thread_id"]: row["opened"] for row in found}, neighbours)


async def _refs(wanted: Collection[UUID], tx: Transaction) -> tuple[dict[UUID, Ref], dict[UUID, int]]:
    rows = await tx.fetch(apply.refs, wanted)
    refs = {row["ref"]: Ref(row["thread_id"], frozenset(row["claims"])) for row in rows}
    return refs, {row["thread_id"]: row["opened"] for row in rows}


async def store(joined: Joined, tx: Transaction) -> set[UUID]:
    """Store what was decided, once the letters' rows are there; the threads whose rows are stale by it."""
    refs = [(ref, one.thread, plain(sorted(one.claims))) for ref, one in joined.refs.items()]
    await tx.execute(apply.put_refs, *columns(refs, 3))
    if joined.answers:
        answers = [(message, *answer) for message, answer in joined.answers.items()]
        await tx.execute(apply.answer, *columns(answers, 3))
    if joined.merged:
        gone, into = list(joined.merged), list(joined.merged.values())
        await tx.execute(apply.merge_refs, gone, into)
        await tx.execute(apply.merge_messages, gone, into)
        await tx.execute(apply.merge_threads, gone)
    stale = {*joined.merged, *joined.merged.values()}
    for thread in sorted(joined.loosened):
        stale |= await regroup(thread, tx)
    return stale


async def regroup(thread: UUID, tx: Transaction) -> set[UUID]:
    """Take a conversation apart that holds together no more; the threads that it was and is now."""
    rows = await tx.fetch(apply.members, thread)
    members = [Member(row["id"], row["sequence"], row["keys"], row["answers"]) for row in rows]
    moved = {
        message: ids.thread_id(tx.user_id, first.message_id) for message, first in threads.regroup(members).items()
    }
    leaving = {message: into for message, into in moved.items() if into != thread}
    if leaving:
        await tx.execute(apply.regroup_messages, list(leaving), list(leaving.values()))
        await tx.execute(apply.regroup_refs, list(leaving), list(leaving.values()))
    return {thread, *leaving.values()}
