/** Whether what is shown is current: live, syncing, in trouble, offline. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { accounts as accountsQuery } from "@/api/queries";
import type { Account } from "@/api/schema";
import type { Connection } from "@/live/socket";
import { classes } from "@/ui/classes";
import { useWords, type Words } from "@/ui/i18n";
import { useOnline } from "@/ui/media";

interface State {
  text: string;
  tone: "good" | "busy" | "bad";
}

export function Status({ connection }: { connection: Connection }) {
  const words = useWords();
  const online = useOnline();
  const { data: accounts = [] } = useQuery(accountsQuery);
  const { text, tone } = stateOf(words, connection, online, accounts);
  const dot = { good: "bg-accent", busy: "bg-star", bad: "bg-danger" }[tone];
  return (
    <Link
      href="/settings/accounts"
      title={text}
      className={classes("target ml-auto flex items-center gap-2 rounded-m px-1.5 text-12 text-text2 tabular-nums", tone === "good" && "max-md:hidden")}
    >
      <span aria-hidden className={classes("size-1.5 rounded-full", dot)} />
      <span className="max-md:sr-only">{text}</span>
    </Link>
  );
}

function stateOf(words: Words, connection: Connection, online: boolean, accounts: readonly Account[]): State {
  if (connection === "waiting") return { text: words(online ? "status.waiting" : "status.offline"), tone: "bad" };
  if (connection !== "open") return { text: words("status.connecting"), tone: "busy" };
  const troubled = accounts.filter(({ state }) => state === "error" || state === "reconnect_required").length;
  if (troubled > 0) return { text: words("status.trouble", { count: troubled }), tone: "bad" };
  const filling = accounts.filter(({ state }) => state === "backfilling");
  if (filling.length === 0) return { text: words("status.live"), tone: "good" };
  const sum = (part: "synced" | "total") => filling.reduce((all, { progress }) => all + progress[part], 0);
  return { text: words("status.syncing", { synced: sum("synced"), total: sum("total") }), tone: "busy" };
}
