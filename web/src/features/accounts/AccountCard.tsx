/** One account: whether it works, the proof that all of its mail is here, its jobs, its mailboxes for special use, and what can be done with it. */
import type { Account } from "@/api/schema";
import { classes } from "@/ui/classes";
import { accountColor } from "@/ui/color";
import { isKey, useBytes, useDates, useWords } from "@/ui/i18n";
import { Notice, Progress } from "@/ui/Notice";

import { Jobs } from "./Jobs";
import { Manage } from "./Manage";
import { Proof } from "./Proof";
import { SpecialMailboxes } from "./SpecialMailboxes";

export function AccountCard({ account, index }: { account: Account; index: number }) {
  const words = useWords();
  return (
    <section className="flex flex-col gap-3 rounded-l border border-line bg-surface p-5" aria-label={account.email}>
      <div className="flex flex-wrap items-start gap-3">
        <span aria-hidden className="mt-2 size-2 rounded-full" style={{ background: accountColor(account.color, index) }} />
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-14 font-semibold">{account.display_name || account.email}</h2>
          <p className="truncate text-12 text-text2">
            {account.email} · {words(`accounts.state.${account.paused ? "disabled" : account.state}`)}
            <LastSync account={account} />
          </p>
          <Proof proof={account.proof} />
          <Quota quota={account.quota} />
        </div>
      </div>
      {account.paused ? <p className="text-13 text-text2">{words("accounts.paused_text")}</p> : <Trouble account={account} />}
      {account.state === "backfilling" && <Filling account={account} />}
      {!account.paused && <Jobs account={account} />}
      <SpecialMailboxes account={account} />
      <Manage account={account} />
    </section>
  );
}

const NEARLY_FULL = 0.9;

function Quota({ quota }: { quota: Account["quota"] }) {
  const words = useWords();
  const bytes = useBytes();
  if (quota === null) return null;
  const look = quota.used >= quota.limit * NEARLY_FULL ? "text-warn" : "text-text2";
  return <p className={classes("mt-1 text-12", look)}>{words("accounts.quota", { used: bytes(quota.used), limit: bytes(quota.limit) })}</p>;
}

function LastSync({ account }: { account: Account }) {
  const words = useWords();
  const dates = useDates();
  if (account.last_sync_at === null || account.proof !== null) return null;
  return <> · {words("accounts.last_sync", { when: dates.usual(account.last_sync_at) })}</>;
}

function Trouble({ account }: { account: Account }) {
  const words = useWords();
  const key = `accounts.code.${account.state_code}`;
  const advice = isKey(key) ? words(key) : account.state_detail;
  const trouble = account.state === "error" || account.state === "reconnect_required";
  return trouble && advice !== "" ? <Notice tone="warn">{advice}</Notice> : null;
}

function Filling({ account }: { account: Account }) {
  const words = useWords();
  const { synced, total } = account.progress;
  const name = account.display_name || account.email;
  return (
    <div>
      <Progress value={synced} total={total} label={words("accounts.reading", { name })} />
      <p className="mt-1.5 text-12 text-text2">{words("accounts.progress", { synced, total })}</p>
    </div>
  );
}
