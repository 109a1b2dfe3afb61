/** What was done with the mail: by whom, when, what became of it, and the way back. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { CircleAlert, History } from "lucide-react";
import { useEffect } from "react";
import { Link } from "wouter";

import { accounts as accountsQuery, history as historyQuery } from "@/api/queries";
import type { Account, Entry } from "@/api/schema";
import { threadPath, UNIFIED } from "@/api/view";
import { Button } from "@/ui/Button";
import { useDates, useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

import { whatOf, whoOf } from "./told";
import { useTakeBack } from "./useTakeBack";

export default function HistoryPage() {
  const words = useWords();
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(historyQuery);
  const { data: accounts = [] } = useQuery(accountsQuery);
  const entries = data?.pages.flatMap((page) => page.entries);
  useEffect(() => {
    document.title = `${words("history.title")} — ${words("app.name")}`;
  }, [words]);
  return (
    <div className="scroll h-full overflow-y-auto px-4 py-8 max-md:py-4">
      <div className="mx-auto max-w-[760px]">
        <h1 className="mb-1 text-20 font-semibold tracking-tight">{words("history.title")}</h1>
        <p className="mb-4 text-13 text-text2">{words("history.text")}</p>
        {isError && (
          <Empty icon={CircleAlert} title={words("history.error")}>
            <Button onClick={() => void refetch()}>{words("app.retry")}</Button>
          </Empty>
        )}
        {entries?.length === 0 && <Empty icon={History} title={words("history.none")} />}
        {entries !== undefined && entries.length > 0 && (
          <ul className="rounded-l border border-line bg-surface">
            {entries.map((entry) => (
              <Line key={entry.id} entry={entry} accounts={accounts} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words("history.more")}
          </Button>
        )}
      </div>
    </div>
  );
}

function Line({ entry, accounts }: { entry: Entry; accounts: readonly Account[] }) {
  const words = useWords();
  const dates = useDates();
  const back = useTakeBack();
  const subject = entry.subject || words("list.no_subject");
  return (
    <li className="flex items-center gap-3 border-b border-line px-4 py-2.5 last:border-b-0">
      <div className="min-w-0 flex-1">
        <p className="truncate text-13">
          <span className="font-semibold">{whatOf(words, entry, accounts)}</span>
          {": "}
          {entry.thread_id === null ? (
            subject
          ) : (
            <Link href={threadPath(entry.thread_id, UNIFIED)} dir="auto" className="text-accent underline">
              {subject}
            </Link>
          )}
          {entry.asked > 1 && <span className="text-text3"> {words("history.and_more", { count: entry.asked - 1 })}</span>}
        </p>
        <p className="text-12 text-text3">
          {whoOf(words, entry)}, <time dateTime={entry.at}>{dates.usual(entry.at)}</time>
          <Became entry={entry} />
        </p>
      </div>
      {entry.undoable ? (
        <Button disabled={back.isPending} onClick={() => back.mutate(entry.id)} aria-label={words("history.undo", { subject })}>
          {words("act.undo")}
        </Button>
      ) : (
        <span className="max-w-48 text-right text-12 text-text3">{entry.undone_by === null ? entry.why_not : words("history.undone")}</span>
      )}
    </li>
  );
}

function Became({ entry }: { entry: Entry }) {
  const words = useWords();
  if (entry.state === "applied") return null;
  if (entry.state === "pending") return <> · {words("history.pending")}</>;
  return <span className="text-danger"> · {words("history.refused", { why: entry.reason })}</span>;
}
