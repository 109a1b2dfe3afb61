/** How far the first reading of a mailbox has come. */
import type { ReactNode } from "react";

import type { Account } from "@/api/schema";
import { useWords } from "@/ui/i18n";
import { Progress } from "@/ui/Notice";

export function SyncProgress({ account, children }: { account: Account; children?: ReactNode }) {
  const words = useWords();
  const { synced, total } = account.progress;
  const name = account.display_name || account.email;
  return (
    <section className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h2 className="mb-3 text-13 font-semibold">{words("accounts.reading", { name })}</h2>
      <Progress value={synced} total={total} label={words("accounts.reading", { name })} />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2 text-12 text-text2">
        <span>{words("accounts.progress", { synced, total })}</span>
        {children}
      </div>
    </section>
  );
}
