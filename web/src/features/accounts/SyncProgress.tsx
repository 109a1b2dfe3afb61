/** How far the first reading of a mailbox has come, and about how long it still takes. */
import { type ReactNode, useEffect, useRef, useState } from "react";

import type { Account } from "@/api/schema";
import { useWords } from "@/ui/i18n";
import { Progress } from "@/ui/Notice";

/** Milliseconds that are watched before anything is said of the rest. */
const ENOUGH = 3_000;
const MINUTE = 60_000;

export function SyncProgress({ account, children }: { account: Account; children?: ReactNode }) {
  const words = useWords();
  const { synced, total } = account.progress;
  const name = account.display_name || account.email;
  const minutes = useMinutesLeft(synced, total);
  return (
    <section className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h2 className="mb-3 text-13 font-semibold">{words("accounts.reading", { name })}</h2>
      <Progress value={synced} total={total} label={words("accounts.reading", { name })} />
      <div className="mt-2 flex flex-wrap items-center justify-between gap-2 text-12 text-text2">
        <span>
          {total === 0 ? words(`accounts.state.${account.state}`) : words("accounts.progress", { synced, total })}
          {minutes !== null && ` · ${words("wizard.left", { count: minutes })}`}
        </span>
        {children}
      </div>
    </section>
  );
}

/** At the pace since this was first shown; null while that says nothing, and when all is here. */
function useMinutesLeft(synced: number, total: number): number | null {
  const [left, setLeft] = useState<number | null>(null);
  const first = useRef<{ at: number; synced: number } | null>(null);
  useEffect(() => {
    const now = Date.now();
    first.current ??= { at: now, synced };
    const passed = now - first.current.at;
    const pace = (synced - first.current.synced) / passed;
    setLeft(passed >= ENOUGH && pace > 0 && synced < total ? Math.ceil((total - synced) / pace / MINUTE) : null);
  }, [synced, total]);
  return left;
}
