/** How many conversations are unread in each mailbox, with what was just asked for already done. */
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type Change, changesIn, uncounted, useChanges } from "./changes";
import { keys } from "./keys";
import { accounts as accountsQuery } from "./queries";
import type { Account, Message, ThreadSummary } from "./schema";

const NONE: readonly Account[] = [];

export function useCountedAccounts(): readonly Account[] {
  const { data = NONE, dataUpdatedAt } = useQuery(accountsQuery);
  const changes = useChanges();
  return useMemo(() => counted(data, uncounted(changes, dataUpdatedAt)), [changes, data, dataUpdatedAt]);
}

export function countedIn(cache: QueryClient): readonly Account[] {
  const state = cache.getQueryState<Account[]>(keys.accounts);
  return counted(state?.data ?? NONE, uncounted(changesIn(cache), state?.dataUpdatedAt ?? 0));
}

function counted(accounts: readonly Account[], changes: readonly Change[]): readonly Account[] {
  const counts: Change["unread"] = Object.assign({}, ...changes.map(({ unread }) => unread));
  return accounts.map((account) => {
    if (!account.mailboxes.some(({ id }) => counts[id] !== undefined)) return account;
    const mailboxes = account.mailboxes.map((mailbox) => Object.assign({}, mailbox, { unread: counts[mailbox.id] ?? mailbox.unread }));
    const inboxes = mailboxes.filter(({ special_use }) => special_use === "inbox");
    return { ...account, mailboxes, unread: inboxes.reduce((sum, { unread }) => sum + unread, 0) };
  });
}

/** The mailboxes where a conversation counts as unread. */
export type Unread = ReadonlySet<string>;

export function unreadRow({ unread_count, mailbox_ids }: Pick<ThreadSummary, "unread_count" | "mailbox_ids">): Unread {
  return new Set(unread_count > 0 ? mailbox_ids : []);
}

export function unreadIn(messages: readonly Message[]): Unread {
  return new Set(messages.flatMap(({ unread, mailbox_ids }) => (unread ? mailbox_ids : [])));
}

/** The numbers once conversations are unread elsewhere than before. */
export function recounted(accounts: readonly Account[], changed: readonly { before: Unread; after: Unread }[]): Record<string, number> {
  const mailboxes = accounts.flatMap((account) => account.mailboxes);
  return Object.fromEntries(
    mailboxes.flatMap(({ id, unread }) => {
      const by = changed.reduce((sum, { before, after }) => sum + Number(after.has(id)) - Number(before.has(id)), 0);
      return by === 0 ? [] : [[id, Math.max(0, unread + by)] as const];
    }),
  );
}
