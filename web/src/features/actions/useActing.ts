/** Does what is asked: shown at once, sent once, told with a way back, and taken back by itself when it is refused. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";

import type { Target, Verb } from "@/api/acting";
import { addChange, type Change, dropChange, settleChange } from "@/api/changes";
import { act as actCommand, undoRequest } from "@/api/commands";
import { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Mailbox, Me } from "@/api/schema";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";

import { type Missing, missingIn } from "./missing";
import { changeFor, inverseOf, isMarking, wishesFor } from "./wish";

/** Seconds that a way back is offered, unless the reader has chosen otherwise. */
const OFFER = 10;
/** Seconds that a refusal stays. */
const REFUSAL = 30;
const TRIES = 3;
const PAUSE = 1_000;

interface Done {
  verb: Verb;
  inverse: Change;
  change: string;
  /** The names of its requests; none when it was refused. */
  requests: Promise<string[]>;
  untell: () => void;
}

/** A request whose outcome is awaited. */
export interface Waiting {
  id: string;
  verb: Verb | "undo";
}

/** An action for which an account has no mailbox. */
export interface Stopped {
  missing: Missing;
  verb: Verb;
  target: Target;
}

export function useActing() {
  const cache = useQueryClient();
  const words = useWords();
  const toast = useToast();
  const done = useRef<Done[]>([]);
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  const [stopped, setStopped] = useState<Stopped | null>(null);

  const refuse = useCallback((text: string) => void toast({ text, tone: "danger", seconds: REFUSAL }), [toast]);
  const watch = useCallback((ids: readonly string[], verb: Waiting["verb"]) => setWaiting((others) => [...others, ...ids.map((id) => ({ id, verb }))]), []);

  const takeBack = useCallback(
    async ({ inverse, change, requests, untell }: Done) => {
      untell();
      dropChange(cache, change);
      addChange(cache, inverse);
      try {
        const answers = await Promise.all((await requests).map(async (id) => patiently(async () => undoRequest(id))));
        const positions = answers.map(({ position }) => position);
        if (positions.length === 0) dropChange(cache, inverse.id);
        else settleChange(cache, inverse.id, Math.max(...positions));
        watch(answers.flatMap((answer) => answer.requests.map(({ id }) => id)), "undo");
        toast({ text: words("act.undone"), seconds: 4 });
      } catch (error) {
        dropChange(cache, inverse.id);
        refuse(words("act.not_undone", { why: whyOf(words, error) }));
      }
    },
    [cache, refuse, toast, watch, words],
  );

  const undo = useCallback(() => {
    const last = done.current.pop();
    if (last === undefined) toast({ text: words("act.nothing_to_undo"), seconds: 4 });
    else void takeBack(last);
  }, [takeBack, toast, words]);

  const perform = useCallback(
    (verb: Verb, target: Target, mailbox: Mailbox | null) => {
      const change = changeFor(cache, verb, target, mailbox);
      const inverse = inverseOf(cache, change, target);
      if (change.move !== null) target.onLeave?.();
      addChange(cache, change);
      const answer = send(cache, change.id, verb, target, mailbox);
      const one: Done = { verb, inverse, change: change.id, requests: answer.catch(() => []), untell: () => undefined };
      if (target.quiet !== true) {
        const count = target.messages?.length ?? target.threads.length;
        const back = () => {
          done.current = done.current.filter((other) => other !== one);
          void takeBack(one);
        };
        const action = verb === "delete" ? undefined : { label: words("act.undo"), hint: "z", run: back };
        const silent = isMarking(verb) && count === 1;
        if (!silent) one.untell = toast({ text: words(`act.done.${verb}`, { count }), seconds: offer(cache), ...(action && { action }) });
        if (verb !== "delete") done.current.push(one);
      }
      void answer.then(
        (ids) => target.quiet !== true && watch(ids, verb),
        (error: unknown) => {
          one.untell();
          done.current = done.current.filter((other) => other !== one);
          dropChange(cache, change.id);
          const missing = missingIn(error);
          if (missing !== null) setStopped({ missing, verb, target });
          else if (target.quiet !== true) refuse(words("act.refused", { why: whyOf(words, error) }));
        },
      );
    },
    [cache, refuse, takeBack, toast, watch, words],
  );

  const settled = useCallback((id: string) => setWaiting((others) => others.filter((other) => other.id !== id)), []);
  return useMemo(
    () => ({ perform, undo, waiting, settled, stopped, clear: () => setStopped(null), refuse }),
    [perform, undo, waiting, settled, stopped, refuse],
  );
}

async function send(cache: QueryClient, id: string, verb: Verb, target: Target, mailbox: Mailbox | null): Promise<string[]> {
  const pieces = wishesFor(verb, target, mailbox);
  const answers = await Promise.all(pieces.map(async (wish, nth) => patiently(async () => actCommand(wish, `${id}:${nth}`))));
  settleChange(cache, id, Math.max(...answers.map(({ position }) => position)));
  return answers.flatMap(({ requests }) => requests.map((request) => request.id));
}

/** Asks again where there was no answer, or the server had trouble of its own: it is done only once. */
async function patiently<T>(ask: () => Promise<T>, tries = TRIES): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const passing = error instanceof ApiError && (error.status === 0 || error.status >= 500);
    if (!passing || tries <= 1) throw error;
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE);
    });
    return patiently(ask, tries - 1);
  }
}

function whyOf(words: ReturnType<typeof useWords>, error: unknown): string {
  return error instanceof ApiError ? explain(words, error) : words("error.unexpected");
}

/** No window at all would be no way back. */
function offer(cache: QueryClient): number {
  return cache.getQueryData<Me | null>(keys.me)?.settings.undo_window || OFFER;
}
