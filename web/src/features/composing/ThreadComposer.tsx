/** Below the newest message of a conversation: the composer, the drafts that wait there, or the ways to answer. */
import { useQuery } from "@tanstack/react-query";
import { Forward, type LucideIcon, PenLine, Reply, ReplyAll } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";

import { useComposing } from "@/api/composing";
import { draft as draftQuery, drafts as draftsQuery } from "@/api/drafts";
import { accounts as accountsQuery } from "@/api/queries";
import type { DraftSummary, Kind, Message } from "@/api/schema";
import { type Key, useWords } from "@/ui/i18n";
import { usePhone } from "@/ui/media";

import { useEnding } from "./ending";

const Composer = lazy(async () => import("./Composer"));

const WAYS: readonly [Exclude<Kind, "new">, LucideIcon, Key, string][] = [
  ["reply", Reply, "compose.reply", "r"],
  ["reply_all", ReplyAll, "compose.reply_all", "a"],
  ["forward", Forward, "compose.forward", "f"],
];

/** `message`: the newest. */
export function ThreadComposer({ message }: { message: Message }) {
  const words = useWords();
  const { thread_id: thread } = message;
  const { open, compose, discarding } = useComposing();
  const { anchor } = useEnding();
  const phone = usePhone();
  const { data: draft } = useQuery({ ...draftQuery(open ?? ""), enabled: open !== null });
  const { data: drafts = [] } = useQuery(draftsQuery);
  const { data: accounts = [] } = useQuery(accountsQuery);
  useEffect(() => {
    anchor(thread);
    return () => anchor(null);
  }, [anchor, thread]);

  const here = !phone && open !== null && draft?.thread_id === thread;
  const waiting = drafts.filter((one) => one.thread_id === thread && one.outbox_id === null && (one.id === null || (one.id !== open && !discarding.has(one.id))));
  const own = new Set(accounts.flatMap(({ identities }) => identities.map(({ email }) => email.toLowerCase())));
  const others = new Set([...message.from, ...message.to, ...message.cc].map(({ email }) => email.toLowerCase()).filter((email) => !own.has(email)));
  const ways = WAYS.filter(([kind]) => kind !== "reply_all" || others.size > 1);
  return (
    <div className="flex flex-col gap-2">
      {waiting.map((one) => (
        <Waiting key={one.id ?? one.message_id} draft={one} />
      ))}
      {here ? (
        <div className="min-h-48">
          <Suspense>
            <Composer id={open} place="inline" />
          </Suspense>
        </div>
      ) : (
        !message.draft && (
          <div className="flex flex-wrap gap-2 max-md:pb-2">
            {ways.map(([kind, Icon, label, key]) => (
              <button
                key={kind}
                type="button"
                title={`${words(label)} (${key})`}
                onClick={() => compose({ kind, message: message.id })}
                className="target inline-flex h-9 items-center gap-2 rounded-m border border-line bg-surface px-3.5 text-13 font-semibold hover:bg-hover"
              >
                <Icon size={15} strokeWidth={1.75} aria-hidden />
                {words(label)}
              </button>
            ))}
          </div>
        )
      )}
    </div>
  );
}

/** A draft in this conversation that is not open. */
function Waiting({ draft }: { draft: DraftSummary }) {
  const words = useWords();
  const { compose } = useComposing();
  const go = () => {
    if (draft.id !== null) compose({ draft: draft.id });
    else if (draft.message_id !== null) compose({ elsewhere: draft.message_id });
  };
  return (
    <button
      type="button"
      onClick={go}
      className="target flex w-full items-center gap-2 rounded-l border border-dashed border-line bg-surface px-4 py-2 text-left text-13 hover:bg-hover"
    >
      <PenLine size={15} strokeWidth={1.75} className="shrink-0 text-text3" aria-hidden />
      <span className="shrink-0 rounded-s bg-warnbg px-1.5 text-12 text-warn">{words("message.draft")}</span>
      <span dir="auto" className="min-w-0 flex-1 truncate text-start text-text2">
        {draft.snippet || words("message.no_text")}
      </span>
      <span className="shrink-0 font-semibold text-accent">{words("compose.continue")}</span>
    </button>
  );
}
