/** How much is unread, for the page's title; what arrives is announced, except while a mailbox is read for the first time. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useCountedAccounts } from "@/api/counts";
import { accounts as accountsQuery } from "@/api/queries";
import type { Account } from "@/api/schema";
import { takeArrivals } from "@/live/arrivals";
import { useAnnounce } from "@/ui/Announcer";
import { useWords } from "@/ui/i18n";

export function useUnread(): number {
  const words = useWords();
  const announce = useAnnounce();
  const { data: accounts } = useQuery(accountsQuery);
  const counted = useCountedAccounts();
  const unread = accounts?.reduce((sum, account) => sum + account.unread, 0);
  const filling = accounts?.some(({ state }) => state === "backfilling" || state === "connecting") ?? true;
  const before = useRef<number | undefined>(undefined);

  // More is also unread when somebody says so, here or elsewhere: only what the socket told of has arrived.
  useEffect(() => {
    const known = before.current;
    before.current = filling ? undefined : unread;
    if (accounts === undefined || unread === undefined || (known !== undefined && unread <= known)) return;
    const arrived = takeArrivals();
    if (!filling && known !== undefined && inboxes(accounts).some((id) => arrived.has(id))) announce(words("nav.arrived", { count: unread }));
  }, [accounts, announce, filling, unread, words]);
  return counted.reduce((sum, account) => sum + account.unread, 0);
}

/** Only these are counted. */
function inboxes(accounts: readonly Account[]): string[] {
  return accounts.flatMap(({ mailboxes }) => mailboxes.flatMap(({ id, special_use }) => (special_use === "inbox" ? [id] : [])));
}
