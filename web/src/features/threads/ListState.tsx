/** What stands above the rows, or in their stead: the view's name, nothing here, still loading, failed. */
import { CircleAlert, Inbox, MailPlus, SearchX } from "lucide-react";
import { Link } from "wouter";

import type { Account } from "@/api/schema";
import type { View } from "@/api/view";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

import { useViewName } from "./useViewName";
import type { Rows } from "./useRows";

interface ListStateProps {
  view: View;
  rows: Rows;
  accounts: readonly Account[];
  /** Nothing else stands where its name does. */
  named: boolean;
}

export function ListState({ view, rows, accounts, named }: ListStateProps) {
  const words = useWords();
  const name = useViewName(view);
  const count = rows.total === undefined ? "" : words(rows.exact ? "list.count" : "list.about", { count: rows.total });
  return (
    <>
      {view.kind === "unified" || !named ? (
        <h1 className="sr-only">{name}</h1>
      ) : (
        <header className="flex h-9 shrink-0 items-center justify-between gap-3 border-b border-line bg-bg px-4">
          <h1 className="truncate text-13 font-semibold">{name}</h1>
          <span className="shrink-0 text-12 text-text3 tabular-nums">{count}</span>
        </header>
      )}
      {rows.failed && (
        <Empty icon={CircleAlert} title={words("list.error")}>
          <Button onClick={rows.retry}>{words("app.retry")}</Button>
        </Empty>
      )}
      {rows.total === 0 && <NothingHere view={view} accounts={accounts} />}
    </>
  );
}

function NothingHere({ view, accounts }: Pick<ListStateProps, "view" | "accounts">) {
  const words = useWords();
  if (view.kind === "search") {
    return <Empty icon={SearchX} title={words("list.empty.search", { q: view.q })} text={words("list.empty.search_hint")} />;
  }
  if (accounts.length === 0) {
    return (
      <Empty icon={MailPlus} title={words("list.connect.title")} text={words("list.connect.text")}>
        <Link
          href="/settings/accounts/new"
          className="target mt-2 inline-flex h-9 items-center rounded-m bg-accent px-3.5 text-13 font-semibold text-on-accent"
        >
          {words("nav.add_account")}
        </Link>
      </Empty>
    );
  }
  const filling = accounts.some((account) => account.state === "backfilling" || account.state === "connecting");
  const title = words(view.kind === "unified" ? "list.empty.inbox" : "list.empty.title");
  return <Empty icon={Inbox} title={title} text={words(filling ? "list.empty.filling" : "list.empty.text")} />;
}
