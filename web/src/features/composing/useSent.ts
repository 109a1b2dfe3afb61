/** After Send: the way back while there is one, and how it ended. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { useLocation } from "wouter";

import type { Beginning } from "@/api/composing";
import { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Draft, Me, Queued, Send } from "@/api/schema";
import { undoSend } from "@/api/sends";
import { useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { useToast } from "@/ui/Toast";

import { closeHere } from "./begin";

/** Seconds: whoever waits for longer than this looks at the outbox. */
const SOON = 120;
/** Seconds that the way back from a later send is offered, and a refusal is shown. */
const OFFER = 10;
const REFUSAL = 60;

export function useSent(begin: (what: Beginning) => Promise<void>) {
  const words = useWords();
  const dates = useDates();
  const cache = useQueryClient();
  const toast = useToast();
  const [, go] = useLocation();
  const [watched, setWatched] = useState<readonly string[]>([]);
  const [last, setLast] = useState<string | null>(null);
  const untell = useRef<() => void>(() => undefined);

  const unwatch = useCallback((id: string) => setWatched((others) => others.filter((other) => other !== id)), []);

  const takeBack = useCallback(
    async (id: string) => {
      untell.current();
      setLast(null);
      try {
        const { draft_id } = await undoSend(id);
        unwatch(id);
        cache.removeQueries({ queryKey: keys.draft(draft_id) });
        void cache.invalidateQueries({ queryKey: keys.drafts });
        void cache.invalidateQueries({ queryKey: keys.sends });
        void begin({ draft: draft_id });
        toast({ text: words("compose.undone"), seconds: 4 });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const why = error.code === "already_sent" ? words("error.already_sent") : words("compose.not_undone", { why: explain(words, error) });
        toast({ text: why, tone: "danger", seconds: REFUSAL });
      }
    },
    [begin, cache, toast, unwatch, words],
  );

  const sent = useCallback(
    (queued: Queued, draft: Draft) => {
      const { outbox_id: id, due } = queued;
      const window = cache.getQueryData<Me | null>(keys.me)?.settings.undo_window ?? 0;
      // The gateway's clock may differ from this one's, but not by minutes.
      const later = Date.parse(due) - Date.now() > SOON * 1000;
      void forget(draft.id);
      closeHere();
      untell.current();
      const seconds = later ? OFFER : window;
      if (seconds === 0) {
        untell.current = toast({ text: words("compose.sending"), seconds: 4 });
      } else {
        const text = later ? words("compose.will_be_sent", { when: dates.usual(due) }) : words("compose.sending");
        setLast(id);
        setTimeout(() => setLast((now) => (now === id ? null : now)), seconds * 1000);
        untell.current = toast({ text, seconds, exact: true, action: { label: words("act.undo"), hint: "z", run: () => void takeBack(id) } });
      }
      if (!later) setWatched((others) => [...others, id]);
      void cache.invalidateQueries({ queryKey: keys.sends });
      void cache.invalidateQueries({ queryKey: keys.drafts });
    },
    [cache, dates, takeBack, toast, words],
  );

  const settled = useCallback(
    ({ id, state, subject, refused }: Send) => {
      unwatch(id);
      void cache.invalidateQueries({ queryKey: keys.sends });
      void cache.invalidateQueries({ queryKey: keys.drafts });
      const what = subject || words("list.no_subject");
      const look = { label: words("compose.look"), run: () => go("/mail/outbox") };
      if (state === "delivered" && refused.length === 0) toast({ text: words("compose.sent"), seconds: 4 });
      else if (state === "delivered") toast({ text: words("compose.sent_not_to", { who: refused.map(({ email }) => email).join(", ") }), tone: "danger", seconds: REFUSAL, action: look });
      else if (state === "failed" || state === "unconfirmed") toast({ text: words(`compose.${state}`, { what }), tone: "danger", seconds: REFUSAL, action: look });
    },
    [cache, go, toast, unwatch, words],
  );

  const undo = useCallback(() => {
    if (last !== null) void takeBack(last);
  }, [last, takeBack]);

  return { sent, undo, undoable: last !== null, watched, settled };
}

async function forget(draft: string): Promise<void> {
  (await import("./desks")).clearDesk(draft);
}
