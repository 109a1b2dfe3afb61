/** Stands above everything that asks for a composer: opens drafts, closes them, and follows what is sent until its end is known. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { useSearch } from "wouter";

import { type Beginning, Composing as Composer, draftIn } from "@/api/composing";
import { createDraft, discardDraft } from "@/api/drafts";
import { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Draft } from "@/api/schema";
import { useAnnounce } from "@/ui/Announcer";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { useKeys } from "@/ui/keyboard";
import { useToast } from "@/ui/Toast";

import { type Again, closeHere, isSameAnswer, openHere, presetOf, wishOf } from "./begin";
import { type Ending, EndingContext } from "./ending";
import { SendOutcome } from "./SendOutcome";
import { TypeAhead } from "./typeahead";
import { useSent } from "./useSent";

const desksLater = async () => import("./desks");
/** Seconds in which a discarded draft can be had back, and a refusal is read. */
const OFFER = 10;
/** The first mail comes first. */
const LATER = 2_000;
const REFUSAL = 30;

export function Composing({ children }: { children: ReactNode }) {
  const words = useWords();
  const cache = useQueryClient();
  const toast = useToast();
  const announce = useAnnounce();
  const open = draftIn(useSearch());
  const [anchored, setAnchored] = useState<string | null>(null);
  const [opening, setOpening] = useState(false);
  const [ahead] = useState(() => new TypeAhead());
  const [discarding, setDiscarding] = useState<ReadonlySet<string>>(() => new Set());

  // Whatever is closed, by whichever way, is saved.
  useEffect(() => {
    if (open === null) return;
    return () => {
      void leave(open, cache);
      if (draftIn(globalThis.location.search) !== null) return;
      ahead.stop();
      setOpening(false);
    };
  }, [ahead, cache, open]);
  useEffect(() => () => ahead.stop(), [ahead]);

  // Whoever presses `r` goes on typing at once. What can't be had now is asked for again when it is needed.
  useEffect(() => {
    const timer = setTimeout(() => void Promise.allSettled([import("./Composer"), desksLater()]), LATER);
    return () => clearTimeout(timer);
  }, []);
  const ready = useCallback(() => {
    setOpening(false);
    void ahead.end();
  }, [ahead]);

  const begin = useCallback(
    async (what: Beginning | Again) => {
      ahead.begin();
      setOpening(true);
      if ("draft" in what) {
        openHere(what.draft);
        return;
      }
      try {
        const draft = await createDraft(wishOf(what));
        cache.setQueryData(keys.draft(draft.id), draft);
        const preset = presetOf(what);
        if (preset !== null) (await desksLater()).deskOf(draft, cache).keeper.change(preset);
        openHere(draft.id);
        if ("instead" in what) void goOn(what.instead, draft.id);
      } catch (error) {
        ahead.stop();
        setOpening(false);
        if (!(error instanceof ApiError)) throw error;
        toast({ text: words("compose.not_opened", { why: explain(words, error) }), tone: "danger", seconds: REFUSAL });
      }
    },
    [ahead, cache, toast, words],
  );

  const compose = useCallback(
    (what: Beginning) => {
      const shown = open === null ? undefined : cache.getQueryData<Draft>(keys.draft(open));
      if (shown !== undefined && isSameAnswer(what, shown)) document.querySelector<HTMLElement>("[data-composer] [role=textbox], [data-composer] textarea")?.focus();
      else void begin(what);
    },
    [begin, cache, open],
  );

  const { sent, undo, undoable, watched, settled } = useSent(begin);
  useKeys(undoable ? { z: undo } : {});

  const keep = useCallback((id: string) => setDiscarding((others) => new Set([...others].filter((other) => other !== id))), []);
  const discard = useCallback(
    (id: string) => {
      closeHere();
      setDiscarding((others) => new Set([...others, id]));
      const really = async () => {
        (await desksLater()).clearDesk(id);
        try {
          await discardDraft(id);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) toast({ text: words("error.unexpected"), tone: "danger", seconds: REFUSAL });
        }
        cache.removeQueries({ queryKey: keys.draft(id) });
        await cache.invalidateQueries({ queryKey: keys.drafts });
        keep(id);
      };
      const timer = setTimeout(() => void really(), OFFER * 1000);
      const back = () => {
        clearTimeout(timer);
        keep(id);
        void begin({ draft: id });
      };
      toast({ text: words("compose.discarded"), seconds: OFFER, exact: true, action: { label: words("act.undo"), run: back } });
    },
    [begin, cache, keep, toast, words],
  );

  const close = useCallback(() => {
    announce(words("compose.draft_kept"));
    closeHere();
  }, [announce, words]);

  const ending = useMemo<Ending>(
    () => ({ ready, close, discard, begin, sent, anchor: setAnchored, anchored }),
    [anchored, begin, close, discard, ready, sent],
  );
  const composer = useMemo(() => ({ compose, open, discarding }), [compose, discarding, open]);
  return (
    <Composer.Provider value={composer}>
      <EndingContext.Provider value={ending}>
        {children}
        {opening && <span hidden data-opening />}
        {watched.map((id) => (
          <SendOutcome key={id} send={id} onSettled={settled} />
        ))}
      </EndingContext.Provider>
    </Composer.Provider>
  );
}

async function leave(id: string, cache: QueryClient): Promise<void> {
  const { leaveDesk } = await desksLater();
  await leaveDesk(id, cache);
}

async function goOn(from: string, to: string): Promise<void> {
  const { goOnAs } = await desksLater();
  await goOnAs(from, to);
}
