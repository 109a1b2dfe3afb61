/** What a list is called. */
import { useQuery } from "@tanstack/react-query";

import { accounts } from "@/api/queries";
import type { View } from "@/api/view";
import { useWords } from "@/ui/i18n";

export function useViewName(view: View): string {
  const words = useWords();
  const { data = [] } = useQuery(accounts);
  switch (view.kind) {
    case "unified":
      return words("nav.inbox");
    case "special":
      return words(`nav.${view.special}`);
    case "search":
      return words("search.title", { q: view.q });
    case "account": {
      const account = data.find((one) => one.id === view.account);
      return account?.display_name || (account?.email ?? "");
    }
    case "mailbox":
      return data.flatMap((account) => account.mailboxes).find((mailbox) => mailbox.id === view.mailbox)?.name ?? "";
  }
}
