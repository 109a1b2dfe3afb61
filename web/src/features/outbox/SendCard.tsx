/** One mail on its way out: where it stands, why, and what can be done. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { useComposing } from "@/api/composing";
import { discardDraft } from "@/api/drafts";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Send } from "@/api/schema";
import { rescheduleSend, retrySend, setAside, undoSend } from "@/api/sends";
import { useAnnounce } from "@/ui/Announcer";
import { Button } from "@/ui/Button";
import { isKey, type Key, useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";
import { TimeSheet } from "@/ui/TimeSheet";

/** What can be asked; `Done` says what came of it. */
interface Way {
  label: Key;
  done: Key | null;
  ask: (send: Send, key: string) => Promise<unknown>;
  main?: boolean;
}

const WAYS: Record<"retry" | "sent" | "discard" | "now", Way> = {
  retry: { label: "outbox.retry", done: "outbox.retried", ask: async ({ id }, key) => retrySend(id, key), main: true },
  sent: { label: "outbox.was_sent", done: "outbox.set_aside", ask: async ({ id, draft_id }) => setAside(id).then(async () => discardDraft(draft_id)) },
  discard: { label: "compose.discard", done: "outbox.discarded", ask: async ({ id, draft_id }) => setAside(id).then(async () => discardDraft(draft_id)) },
  now: { label: "outbox.now", done: "outbox.retried", ask: async ({ id }) => rescheduleSend(id, null) },
};

function waysOf({ state, scheduled }: Send): Way[] {
  if (state === "failed") return [WAYS.retry, WAYS.discard];
  if (state === "unconfirmed") return [WAYS.sent, WAYS.retry];
  return state === "queued" && scheduled ? [WAYS.now] : [];
}

export function SendCard({ send }: { send: Send }) {
  const words = useWords();
  const dates = useDates();
  const { asking, edit } = useAsking(send);
  const [choosing, setChoosing] = useState(false);
  const { state, subject, to, refused, scheduled } = send;
  const told = whyOf(words, send);
  return (
    <li className="flex flex-col gap-2 rounded-l border border-line bg-surface p-4">
      <div>
        <div className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate font-semibold">{subject || words("list.no_subject")}</span>
          <span className="shrink-0 text-12 text-text3 tabular-nums">{stateOf(words, dates, send)}</span>
        </div>
        <p className="truncate text-13 text-text2">{words("message.to", { names: to.map(({ name, email }) => name || email).join(", ") })}</p>
      </div>
      {told !== "" && <Notice tone="warn">{told}</Notice>}
      {refused.length > 0 && (
        <ul className="text-13 text-danger">
          {refused.map(({ email, code, text }) => (
            <li key={email}>{words("outbox.refused", { email, why: text.startsWith(String(code)) ? text : `${code} ${text}` })}</li>
          ))}
        </ul>
      )}
      {asking.error !== null && <Notice tone="danger">{explain(words, asking.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        {waysOf(send).map((way) => (
          <Button key={way.label} look={way.main === true && state === "failed" ? "primary" : "plain"} disabled={asking.isPending} onClick={() => asking.mutate(way)}>
            {words(way.label)}
          </Button>
        ))}
        {state === "queued" && scheduled && <Button onClick={() => setChoosing(true)}>{words("outbox.reschedule")}</Button>}
        {state !== "attempted" && (
          <Button disabled={asking.isPending} onClick={() => asking.mutate(edit)}>
            {words(state === "queued" && !scheduled ? "act.undo" : "outbox.edit")}
          </Button>
        )}
      </div>
      {choosing && (
        <TimeSheet
          title={words("outbox.reschedule")}
          label={words("accounts.save")}
          onClose={() => setChoosing(false)}
          onChoose={(at) => {
            setChoosing(false);
            asking.mutate(reschedule(at));
          }}
        />
      )}
    </li>
  );
}

function useAsking(send: Send) {
  const words = useWords();
  const cache = useQueryClient();
  const announce = useAnnounce();
  const { compose } = useComposing();
  // The same for each try, so that an answer that was lost sends nothing twice.
  const key = useRef(crypto.randomUUID());
  const asking = useMutation<unknown, ApiError, Way>({
    mutationFn: async ({ ask }) => ask(send, key.current),
    onSuccess: (_answer, { done }) => {
      if (done !== null) announce(words(done));
    },
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: keys.sends });
      await cache.invalidateQueries({ queryKey: keys.drafts });
    },
  });
  const edit: Way = {
    label: "outbox.edit",
    done: null,
    ask: async ({ id, state, draft_id }) => {
      await (state === "queued" ? undoSend(id) : setAside(id));
      cache.removeQueries({ queryKey: keys.draft(draft_id) });
      compose({ draft: draft_id });
    },
  };
  return { asking, edit };
}

function reschedule(at: Date): Way {
  return { label: "outbox.reschedule", done: "outbox.rescheduled", ask: async ({ id }) => rescheduleSend(id, at.toISOString()) };
}

type Words = ReturnType<typeof useWords>;

function stateOf(words: Words, dates: ReturnType<typeof useDates>, { state, scheduled, due, settled_at, queued_at }: Send): string {
  if (state === "queued" && scheduled) return words("outbox.state.scheduled", { when: dates.usual(due) });
  if (state === "failed" || state === "unconfirmed") return words(`outbox.state.${state}`, { when: dates.usual(settled_at ?? queued_at) });
  return words("outbox.state.going");
}

/** The server's own words come after ours, unless they stand with those whom it refused. Nothing where all goes well; a mail that waits with a reason is late. */
function whyOf(words: Words, { state, code, reason, said, refused }: Send): string {
  const key = `outbox.code.${code}`;
  let own = "";
  if (state === "failed") own = isKey(key) ? words(key) : reason;
  else if (state === "unconfirmed") own = words("outbox.unconfirmed");
  else if (state === "queued" && reason !== "") own = words("outbox.late");
  return [own, refused.length > 0 ? "" : said].filter((text) => text !== "").join(" ");
}
