/** The connected accounts: how each is doing, and removing one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { removeAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { accounts } from "@/api/queries";
import type { Account } from "@/api/schema";
import { Button } from "@/ui/Button";
import { accountColor } from "@/ui/color";
import { isKey, useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { SyncProgress } from "./SyncProgress";

export function AccountsPage() {
  const words = useWords();
  const { data = [], isPending } = useQuery(accounts);
  return (
    <div className="flex flex-col gap-4">
      <header className="flex items-center justify-between">
        <h1 className="text-20 font-semibold tracking-tight">{words("accounts.title")}</h1>
        <Link
          href="/settings/accounts/new"
          className="target inline-flex h-9 items-center rounded-m bg-accent px-3.5 text-13 font-semibold text-on-accent hover:brightness-110"
        >
          {words("nav.add_account")}
        </Link>
      </header>
      {!isPending && data.length === 0 && <p className="text-13 text-text2">{words("accounts.none")}</p>}
      {data.map((account, index) => (
        <AccountCard key={account.id} account={account} index={index} />
      ))}
    </div>
  );
}

function AccountCard({ account, index }: { account: Account; index: number }) {
  const words = useWords();
  const dates = useDates();
  const trouble = account.state === "error" || account.state === "reconnect_required";
  const key = `accounts.code.${account.state_code}`;
  const advice = isKey(key) ? words(key) : account.state_detail;
  if (account.state === "backfilling") {
    return (
      <SyncProgress account={account}>
        <Removal account={account} />
      </SyncProgress>
    );
  }
  return (
    <section className="rounded-l border border-line bg-surface p-5">
      <div className="flex flex-wrap items-center gap-3">
        <span aria-hidden className="size-2 rounded-full" style={{ background: accountColor(account.color, index) }} />
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-14 font-semibold">{account.display_name || account.email}</h2>
          <p className="truncate text-12 text-text2">
            {account.email} · {words(`accounts.state.${account.state}`)}
            {account.last_sync_at !== null && ` · ${words("accounts.last_sync", { when: dates.usual(account.last_sync_at) })}`}
          </p>
        </div>
        <Removal account={account} />
      </div>
      {trouble && advice !== "" && (
        <div className="mt-3">
          <Notice tone="warn">{advice}</Notice>
        </div>
      )}
    </section>
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
