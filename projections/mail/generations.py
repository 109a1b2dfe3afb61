"""Folds of mailboxes, of their listings under one UIDVALIDITY, and of accounts that are removed."""

from collections.abc import Sequence
from uuid import UUID

from contracts.facts import (
    AccountRemoved,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    MailboxFound,
    MailboxLost,
)
from projections.engine.log import Recorded
from projections.engine.transaction import Transaction
from projections.mail import scopes, shown
from projections.mail.statements import apply


async def find(run: Sequence[Recorded[MailboxFound]], tx: Transaction) -> None:
    """A mailbox, or its new name or use; with its use, the lists of what lies in it change."""
    uses = {row["id"]: row["special_use"] for row in await tx.fetch(apply.mailboxes)}
    for _, fact in run:
        await tx.execute(
            apply.find_mailbox,
            fact.mailbox_id,
            fact.account_id,
            fact.path,
            fact.delimiter,
            fact.special_use,
            fact.selectable,
            fact.special_use in scopes.DISCARDED,
            scopes.of(fact),
        )
        if fact.mailbox_id not in uses or uses[fact.mailbox_id] != fact.special_use:
            uses[fact.mailbox_id] = fact.special_use
            await _show_again(fact.mailbox_id, tx)


async def lose(run: Sequence[Recorded[MailboxLost]], tx: Transaction) -> None:
    """The mailbox is gone with its placements; what was to be moved there is shown where it is."""
    for _, fact in run:
        messages = await _messages(fact.mailbox_id, tx)
        await tx.execute(apply.lose_placements, fact.mailbox_id)
        await tx.execute(apply.lose_departed, fact.mailbox_id)
        await tx.execute(apply.lose_mailbox, fact.mailbox_id)
        await _recount(messages, tx)


async def open_(run: Sequence[Recorded[GenerationOpened]], tx: Transaction) -> None:
    """The first of a mailbox is shown while it fills; a later one is staged, and ends the one staged before."""
    for _, fact in run:
        listing = (fact.mailbox_id, fact.generation, fact.uidvalidity)
        if await tx.fetch(apply.open_generation, *listing):
            await _show_again(fact.mailbox_id, tx)
        else:
            await tx.execute(apply.stage_generation, *listing, fact.uidnext)
            await _drop_others(fact.mailbox_id, tx)


async def commit(run: Sequence[Recorded[GenerationCommitted]], tx: Transaction) -> None:
    """The staged listing is what is shown from here on; the one before it is gone."""
    for _, fact in run:
        messages = {row["message_id"] for row in await tx.fetch(apply.messages_in, fact.mailbox_id)}
        if await tx.fetch(apply.commit_generation, fact.mailbox_id, fact.generation):
            await tx.execute(apply.drop_other_generations, fact.mailbox_id)
            await _recount(messages, tx)


async def abandon(run: Sequence[Recorded[GenerationAbandoned]], tx: Transaction) -> None:
    for _, fact in run:
        await tx.execute(apply.abandon_generation, fact.mailbox_id, fact.generation)
        await _drop_others(fact.mailbox_id, tx)


async def remove(run: Sequence[Recorded[AccountRemoved]], tx: Transaction) -> None:
    """Nothing of the account is shown from here on; its erasure folds the user's log again."""
    for _, fact in run:
        await tx.execute(apply.remove_account, fact.account_id)
        for statement in (
            apply.remove_mailboxes,
            apply.remove_pending,
            apply.remove_placements,
            apply.remove_departed,
            apply.remove_attachments,
        ):
            await tx.execute(statement, fact.account_id)
        rows = await tx.fetch(apply.remove_messages, fact.account_id)
        await shown.recount({row["thread_id"] for row in rows}, tx, tell=())


async def _drop_others(mailbox: UUID, tx: Transaction) -> None:
    rows = await tx.fetch(apply.drop_other_generations, mailbox)
    await _recount({row["message_id"] for row in rows}, tx)


async def _show_again(mailbox: UUID, tx: Transaction) -> None:
    await _recount(await _messages(mailbox, tx), tx)


async def _messages(mailbox: UUID, tx: Transaction) -> set[UUID]:
    """Messages that lie in a mailbox, or are to be moved into or out of it."""
    rows = await tx.fetch(apply.messages_in, mailbox)
    return {row["message_id"] for row in (*rows, *await tx.fetch(apply.pending_to, mailbox))}


async def _recount(messages: set[UUID], tx: Transaction) -> None:
    if messages:
        await shown.recount(await shown.show(messages, tx), tx)
