/** The mail: list and reading pane side by side where there is room, one after the other where there is not. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { MailOpen } from "lucide-react";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

import { isMarking, type Verb } from "@/api/acting";
import { neighbourOf, placeOf } from "@/api/listing";
import { accounts as accountsQuery } from "@/api/queries";
import type { Order } from "@/api/schema";
import { threadPath, type View, viewPath } from "@/api/view";
import { ActionButtons } from "@/features/actions/ActionBar";
import { MessageMenu } from "@/features/actions/MessageMenu";
import { ThreadComposer } from "@/features/composing/ThreadComposer";
import { ThreadPast } from "@/features/history/ThreadPast";
import { ThreadPane } from "@/features/thread/ThreadPane";
import { type Opening, ThreadList } from "@/features/threads/ThreadList";
import { useViewName } from "@/features/threads/useViewName";
import { useWords } from "@/ui/i18n";
import { useMedia, useNarrow } from "@/ui/media";
import { Empty } from "@/ui/Notice";

import { usePanes } from "./panes";
import { useUnread } from "./useUnread";

interface MailPageProps {
  view: View;
  thread: string | null;
  order: Order;
}

export function MailPage({ view, thread, order }: MailPageProps) {
  const words = useWords();
  const [, go] = useLocation();
  const narrow = useNarrow();
  const panes = usePanes();
  const state = useHistoryState<{ focus?: boolean; composed?: boolean } | null>();
  const coarse = useMedia("(pointer: coarse)");
  const split = panes === "split" && !narrow;
  const name = useViewName(view);
  const unread = useUnread();
  const cache = useQueryClient();
  const { data: accounts = [] } = useQuery(accountsQuery);
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${name} — ${words("app.name")}`;
  }, [name, unread, words]);

  // A page that was opened at this address has no such state: nobody has asked for the focus to move.
  const takeFocus = state?.focus !== undefined && (!split || state.focus);

  const open = (id: string, { focus, replace }: Opening) => go(threadPath(id, view), { replace: replace || id === thread, state: { focus } });
  // In one column a conversation was always opened from its list, which lies one step back.
  const leave = () => (!split && state?.focus !== undefined && state.composed !== true ? history.back() : go(viewPath(view)));
  // Whoever has put a conversation away goes on with the next one; to be read later, it is closed for now.
  const acting = (verb: Verb, threads: readonly string[]) => {
    if (thread === null || !threads.includes(thread) || (isMarking(verb) && verb !== "unread")) return;
    const next = verb === "unread" ? null : neighbourOf(cache, view, thread, threads);
    if (next === null) leave();
    else go(threadPath(next, view), { replace: true, state });
  };
  const list = (
    <ThreadList
      key={viewPath(view)}
      view={view}
      flat={!split && !narrow && !coarse}
      selected={thread}
      onOpen={open}
      onActing={acting}
      Actions={ActionButtons}
    />
  );
  const pane = thread !== null && (
    <ThreadPane
      key={thread}
      id={thread}
      view={view}
      place={placeOf(view, accounts)}
      order={order}
      takeFocus={takeFocus}
      onLeave={leave}
      onActing={(verb) => acting(verb, [thread])}
      Actions={ActionButtons}
      MessageMenu={MessageMenu}
      Composer={ThreadComposer}
      past={<ThreadPast thread={thread} />}
    />
  );

  if (!split) return thread === null ? list : pane;
  return (
    <div className="grid h-full grid-cols-[minmax(320px,380px)_1fr]">
      <div className="min-h-0 border-r border-line">{list}</div>
      <div className="min-h-0 min-w-0">{pane || <Empty icon={MailOpen} title={words("thread.none")} />}</div>
    </div>
  );
}
