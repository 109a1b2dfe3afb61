/** The page that connects an account, then shows it fill. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { accounts } from "@/api/queries";
import type { Account } from "@/api/schema";
import { useWords } from "@/ui/i18n";

import { AccountForm } from "./AccountForm";
import { SyncProgress } from "./SyncProgress";

export function NewAccountPage() {
  const words = useWords();
  const [connected, setConnected] = useState<Account | null>(null);
  const live = useQuery(accounts).data?.find((account) => account.id === connected?.id) ?? connected;

  if (live !== null) {
    return (
      <SyncProgress account={live}>
        <Link href="/mail" className="target inline-flex items-center text-13 font-semibold text-accent hover:underline">
          {words("accounts.start_reading")}
        </Link>
      </SyncProgress>
    );
  }
  return (
    <section className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h1 className="text-20 font-semibold tracking-tight">{words("accounts.new")}</h1>
      <p className="mt-1 mb-5 text-13 text-text2">{words("accounts.new_text")}</p>
      <AccountForm onConnected={setConnected} />
    </section>
  );
}
