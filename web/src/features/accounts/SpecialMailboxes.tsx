/** Which mailbox is for what, where the server does not say it or the person knows better. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { chooseMailbox } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account, ChosenUse } from "@/api/schema";
import { Choice } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

const USES: readonly ChosenUse[] = ["sent", "drafts", "archive", "junk", "trash"];
const AUTOMATIC = "";

export function SpecialMailboxes({ account }: { account: Account }) {
  const words = useWords();
  const cache = useQueryClient();
  const choosing = useMutation<unknown, ApiError, { use: ChosenUse; mailbox: string | null }>({
    mutationFn: async ({ use, mailbox }) => chooseMailbox(account.id, use, mailbox),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.accounts }),
  });
  const mailboxes = account.mailboxes.filter((mailbox) => mailbox.selectable && mailbox.special_use !== "inbox");
  if (mailboxes.length === 0) return null;
  const options = mailboxes.map((mailbox) => [mailbox.id, mailbox.path] as const);
  return (
    <details className="text-13">
      <summary className="cursor-pointer text-text2">{words("accounts.uses")}</summary>
      <p className="mt-2 text-12 text-text2">{words("accounts.uses_text")}</p>
      <div className="mt-3 grid grid-cols-2 gap-3 max-md:grid-cols-1">
        {USES.map((use) => (
          <Choice
            key={use}
            label={words(`nav.${use}`)}
            value={account.special_uses[use] ?? AUTOMATIC}
            options={[[AUTOMATIC, automatic(account, use, words("accounts.uses_none"), words("accounts.uses_auto"))], ...options]}
            onChange={(mailbox) => choosing.mutate({ use, mailbox: mailbox === AUTOMATIC ? null : mailbox })}
          />
        ))}
      </div>
      {choosing.error !== null && <Notice tone="danger">{explain(words, choosing.error)}</Notice>}
    </details>
  );
}

/** What is taken when nobody chooses. */
function automatic(account: Account, use: ChosenUse, none: string, auto: string): string {
  if (account.special_uses[use] !== undefined) return auto;
  return `${auto}: ${account.mailboxes.find((mailbox) => mailbox.special_use === use)?.path ?? none}`;
}
