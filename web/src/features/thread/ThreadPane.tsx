/** The reading pane: the conversation with its bar. */
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, MailX } from "lucide-react";
import { useState } from "react";

import { ApiError } from "@/api/errors";
import { thread as threadQuery } from "@/api/queries";
import type { Order, Thread } from "@/api/schema";
import { useSettings } from "@/api/useSettings";
import { useAnnounce } from "@/ui/Announcer";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";
import { Empty } from "@/ui/Notice";

import { ThreadBar } from "./ThreadBar";
import { ThreadView } from "./ThreadView";
import { useOpen } from "./useOpen";

interface ThreadPaneProps {
  id: string;
  /** The reader's usual order. */
  order: Order;
  takeFocus: boolean;
  onLeave: () => void;
}

/** Mount it anew for another conversation. */
export function ThreadPane({ id, order: usual, takeFocus, onLeave }: ThreadPaneProps) {
  const words = useWords();
  const { data, error, refetch } = useQuery(threadQuery(id));
  const [order, setOrder] = useState(usual);
  useKeys({ u: onLeave, Escape: onLeave });

  return (
    <section data-keys="thread" aria-label={words("thread.label")} className="flex h-full min-h-0 flex-col">
      {data !== undefined ? (
        <Conversation thread={data} order={order} onOrder={setOrder} takeFocus={takeFocus} onLeave={onLeave} />
      ) : (
        <>
          <ThreadBar onLeave={onLeave} />
          {error !== null && <Failure error={error} retry={() => void refetch()} />}
        </>
      )}
    </section>
  );
}

interface ConversationProps extends Pick<ThreadPaneProps, "takeFocus" | "onLeave"> {
  thread: Thread;
  order: Order;
  onOrder: (order: Order) => void;
}

function Conversation({ thread, order, onOrder, takeFocus, onLeave }: ConversationProps) {
  const words = useWords();
  const announce = useAnnounce();
  const settings = useSettings();
  const open = useOpen(thread.messages);
  const makeDefault = () =>
    settings.mutate({ thread_order: order }, { onSuccess: () => announce(words("thread.default_saved")) });

  return (
    <>
      <ThreadBar onLeave={onLeave} reading={{ order, onOrder, makeDefault, open, count: thread.messages.length }} />
      <div data-scroll className="scroll min-h-0 flex-1 overflow-y-auto px-6 pb-12 max-md:px-3">
        <div className="mx-auto max-w-[860px]">
          <h1 dir="auto" className="px-1 pt-4 pb-3 text-start text-20 font-semibold tracking-tight break-words">
            {thread.subject || words("list.no_subject")}
          </h1>
          <ThreadView messages={thread.messages} order={order} open={open} takeFocus={takeFocus} />
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
