/** One account: whether it works, the proof that all of its mail is here, its jobs, its mailboxes for special use, removal. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { removeAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import type { Account } from "@/api/schema";
import { Button } from "@/ui/Button";
import { accountColor } from "@/ui/color";
import { isKey, useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice, Progress } from "@/ui/Notice";

import { Jobs } from "./Jobs";
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
            {account.email} · {words(`accounts.state.${account.state}`)}
            <LastSync account={account} />
          </p>
          <Proof proof={account.proof} />
        </div>
        <Removal account={account} />
      </div>
      <Trouble account={account} />
      {account.state === "backfilling" && <Filling account={account} />}
      <Jobs account={account} />
      <SpecialMailboxes account={account} />
    </section>
  );
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

function Removal({ account }: { account: Account }) {
  const words = useWords();
  const cache = useQueryClient();
  const [sure, setSure] = useState(false);
  const removing = useMutation<unknown, ApiError>({
    mutationFn: async () => removeAccount(account.id),
    onSuccess: async () => cache.invalidateQueries(),
  });
  if (!sure) return <Button onClick={() => setSure(true)}>{words("accounts.remove")}</Button>;
  return (
    <div className="flex basis-full flex-col gap-2">
      <p className="text-13">{words("accounts.remove_sure", { email: account.email })}</p>
      {removing.error !== null && <Notice tone="danger">{explain(words, removing.error)}</Notice>}
      <div className="flex gap-2">
        <Button look="danger" disabled={removing.isPending} onClick={() => removing.mutate()}>
          {words("accounts.remove_yes")}
        </Button>
        <Button autoFocus onClick={() => setSure(false)}>
          {words("accounts.cancel")}
        </Button>
      </div>
    </div>
  );
}
