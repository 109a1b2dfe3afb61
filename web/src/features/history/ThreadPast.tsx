/** Below a conversation: who moved it, and the way back. */
import { useQuery } from "@tanstack/react-query";

import { accounts as accountsQuery, threadHistory } from "@/api/queries";
import { useDates, useWords } from "@/ui/i18n";

import { whatOf, whoOf } from "./told";
import { useTakeBack } from "./useTakeBack";

/** Marks are no news to whoever reads: only where it went is told. */
export function ThreadPast({ thread }: { thread: string }) {
  const words = useWords();
  const dates = useDates();
  const back = useTakeBack();
  const { data: entries = [] } = useQuery(threadHistory(thread));
  const { data: accounts = [] } = useQuery(accountsQuery);
  const last = entries.find(({ kind, state }) => kind !== "flags" && (state === "pending" || state === "applied"));
  if (last === undefined || last.undone_by !== null || last.by.startsWith("undo:")) return null;
  return (
    <p className="flex items-center gap-1.5 px-1 pt-2 text-12 text-text3">
      <span className="min-w-0 truncate">
        {words("history.line", { what: whatOf(words, last, accounts), who: whoOf(words, last), when: dates.brief(last.at) })}
      </span>
      {last.undoable && (
        <>
          <span aria-hidden>·</span>
          <button
            type="button"
            disabled={back.isPending}
            onClick={() => back.mutate(last.id)}
            className="target shrink-0 rounded-s font-semibold text-accent hover:underline"
          >
            {words("act.undo")}
          </button>
        </>
      )}
    </p>
  );
}
