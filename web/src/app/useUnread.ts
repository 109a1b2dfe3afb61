/** How much is unread, for the page's title; what arrives is announced, except while a mailbox is read for the first time. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useCountedAccounts } from "@/api/counts";
import { accounts as accountsQuery } from "@/api/queries";
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

  useEffect(() => {
    const known = before.current;
    before.current = unread;
    if (!filling && known !== undefined && unread !== undefined && unread > known) announce(words("nav.arrived", { count: unread }));
  }, [announce, filling, unread, words]);
  return counted.reduce((sum, account) => sum + account.unread, 0);
}
