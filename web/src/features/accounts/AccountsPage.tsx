/** The connected accounts, each with how its sync is doing. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { accountsWhileSyncing } from "@/api/queries";
import { useWords } from "@/ui/i18n";

import { AccountCard } from "./AccountCard";

export function AccountsPage() {
  const words = useWords();
  const { data = [], isPending } = useQuery(accountsWhileSyncing);
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
