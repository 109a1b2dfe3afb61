/** The reading pane: the conversation with its bar. */
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, MailX } from "lucide-react";
import { type ComponentType, type ReactNode, useMemo, useState } from "react";

import { actionKeys, type ActionsProps, type Marks, useAct, type Verb } from "@/api/acting";
import { changedThread, useChanges } from "@/api/changes";
import { useComposing } from "@/api/composing";
import { drafts as draftsQuery } from "@/api/drafts";
import { ApiError } from "@/api/errors";
import { thread as threadQuery } from "@/api/queries";
import type { Message, Order, Thread } from "@/api/schema";
import { useSettings } from "@/api/useSettings";
import type { View } from "@/api/view";
import { useAnnounce } from "@/ui/Announcer";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";
import { Empty } from "@/ui/Notice";

import { newestOf, withoutDrafts } from "./arrange";
import { printThread } from "./print";
import { ThreadBar } from "./ThreadBar";
import { type ComposerProps, type MenuProps, ThreadView } from "./ThreadView";
import { useMarkRead } from "./useMarkRead";
import { useOpen } from "./useOpen";

interface ThreadPaneProps {
  id: string;
  /** The list that it was opened from, and the one place that this shows. */
  view: View;
  place: string | null;
  /** The reader's usual order. */
  order: Order;
  takeFocus: boolean;
  onLeave: () => void;
  /** Something is about to be done with it. */
  onActing: (verb: Verb) => void;
  Actions: ComponentType<ActionsProps>;
  MessageMenu: ComponentType<MenuProps>;
  /** Stands at the newest message. */
  Composer?: ComponentType<ComposerProps>;
  /** What was done with it. */
  past?: ReactNode;
}

/** Mount it anew for another conversation. */
export function ThreadPane({ id, order: usual, onLeave, ...rest }: ThreadPaneProps) {
  const words = useWords();
  const { data, error, refetch } = useQuery(threadQuery(id, rest.view));
  const changes = useChanges();
  const { data: drafts } = useQuery(draftsQuery);
  const shown = useMemo(() => data && withoutDrafts(changedThread(data, changes), drafts ?? []), [data, changes, drafts]);
  const [order, setOrder] = useState(usual);
  useKeys({ u: onLeave, Escape: onLeave });

  return (
    <section data-keys="thread" aria-label={words("thread.label")} className="flex h-full min-h-0 flex-col">
      {shown !== undefined ? (
        <Conversation thread={shown} order={order} onOrder={setOrder} onLeave={onLeave} {...rest} />
      ) : (
        <>
          <ThreadBar onLeave={onLeave} />
          {error !== null && <Failure error={error} retry={() => void refetch()} />}
        </>
      )}
    </section>
  );
}

interface ConversationProps extends Omit<ThreadPaneProps, "id" | "order"> {
  thread: Thread;
  order: Order;
  onOrder: (order: Order) => void;
}

function Conversation({ thread, view, place, order, onOrder, takeFocus, onLeave, onActing, Actions, MessageMenu, Composer, past }: ConversationProps) {
  const words = useWords();
  const announce = useAnnounce();
  const settings = useSettings();
  const open = useOpen(thread.messages);
  const act = useAct();
  const { compose } = useComposing();
  const markRead = useMarkRead(thread.id, view);
  const marks: Marks = {
    starred: thread.messages.some(({ starred }) => starred),
    unread: thread.messages.some(({ unread }) => unread),
    place,
  };
  const ask = (verb: Verb) => {
    // What somebody wants to read again is the newest; a whole conversation would open all of it.
    const newest = verb === "unread" ? newestOf(thread.messages) : undefined;
    act(verb, { view, threads: [thread.id], ...(newest && { messages: [newest] }), onActing: () => onActing(verb) });
  };
  const askOf = (verb: Verb, message: Message) => {
    if (thread.messages.length === 1) ask(verb);
    else act(verb, { view, threads: [thread.id], messages: [message] });
  };
  useKeys(actionKeys(() => marks, ask), "thread");
  const answer = (kind: "reply" | "reply_all" | "forward") => () => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-message]")?.dataset["message"];
    const message = thread.messages.find(({ id }) => id === focused) ?? newestOf(thread.messages);
    if (message !== undefined && !message.draft) compose({ kind, message: message.id });
  };
  useKeys({ r: answer("reply"), a: answer("reply_all"), f: answer("forward") });
  const makeDefault = () =>
    settings.mutate({ thread_order: order }, { onSuccess: () => announce(words("thread.default_saved")) });

  return (
    <>
      <ThreadBar onLeave={onLeave} actions={<Actions marks={marks} ask={ask} />} reading={{ order, onOrder, makeDefault, print: () => printThread(thread.id), open, count: thread.messages.length }} />
      <div data-scroll className="scroll min-h-0 flex-1 overflow-y-auto px-6 pb-12 max-md:px-3 max-md:pb-20">
        <div className="mx-auto max-w-[860px]">
          <h1 dir="auto" className="px-1 pt-4 pb-3 text-start text-20 font-semibold tracking-tight break-words">
            {thread.subject || words("list.no_subject")}
          </h1>
          <ThreadView
            messages={thread.messages}
            order={order}
            open={open}
            takeFocus={takeFocus}
            onSeen={markRead}
            place={place}
            ask={askOf}
            MessageMenu={MessageMenu}
            {...(Composer && { Composer })}
          />
          {past}
        </div>
      </div>
    </>
  );
}

function Failure({ error, retry }: { error: Error; retry: () => void }) {
  const words = useWords();
  if (error instanceof ApiError && error.status === 404) return <Empty icon={MailX} title={words("thread.gone")} />;
  return (
    <Empty icon={CircleAlert} title={words("thread.error")}>
      <Button onClick={retry}>{words("app.retry")}</Button>
    </Empty>
  );
}
