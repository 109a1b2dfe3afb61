/** Does what is asked: shown at once, sent once, told with a way back, and taken back by itself when it is refused. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";

import { isMarking, type Target, type Verb } from "@/api/acting";
import { addChange, type Change, dropChange, settleChange } from "@/api/changes";
import { act as actCommand, undoRequest } from "@/api/commands";
import { ApiError } from "@/api/errors";
import { actOnEverything, jobs } from "@/api/jobs";
import { keys } from "@/api/keys";
import type { Entry, Mailbox, Me } from "@/api/schema";
import { useToast } from "@/ui/Toast";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";

import { type Missing, missingIn } from "./missing";
import { changeFor, everythingFor, inverseOf, wishesFor } from "./wish";

/** Seconds that a way back is offered, unless the reader has chosen otherwise. */
const OFFER = 10;
/** Seconds that a refusal stays. */
const REFUSAL = 30;
const TRIES = 3;
const PAUSE = 1_000;

interface Done {
  inverse: Change;
  change: string;
  /** The names of its requests; none when it was refused. */
  requests: Promise<string[]>;
  /** The same, once they are known. */
  ids: readonly string[];
  untell: () => void;
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
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const [stopped, setStopped] = useState<Stopped | null>(null);

  const refuse = useCallback((text: string) => void toast({ text, tone: "danger", seconds: REFUSAL }), [toast]);
  const watch = useCallback((ids: readonly string[]) => setWaiting((others) => [...others, ...ids]), []);
  /** There is nothing to undo any more. */
  const retract = useCallback((one: Done) => {
    one.untell();
    done.current = done.current.filter((other) => other !== one);
  }, []);

  const takeBack = useCallback(
    async ({ inverse, change, requests }: Done) => {
      dropChange(cache, change);
      addChange(cache, inverse);
      try {
        const answers = await Promise.all((await requests).map(async (id) => patiently(async () => undoRequest(id))));
        const positions = answers.map(({ position }) => position);
        if (positions.length === 0) dropChange(cache, inverse.id);
        else settleChange(cache, inverse.id, Math.max(...positions));
        watch(answers.flatMap((answer) => answer.requests.map(({ id }) => id)));
        toast({ text: words("act.undone"), seconds: 4 });
      } catch (error) {
        dropChange(cache, inverse.id);
        refuse(words("act.not_undone", { why: whyOf(words, error) }));
      }
    },
    [cache, refuse, toast, watch, words],
  );

  const undo = useCallback(() => {
    const last = done.current.at(-1);
    if (last === undefined) {
      toast({ text: words("act.nothing_to_undo"), seconds: 4 });
      return;
    }
    retract(last);
    void takeBack(last);
  }, [retract, takeBack, toast, words]);

  /** What the gateway refuses is taken back, and told unless nobody had asked for it. */
  const follow = useCallback(
    async (one: Done, answer: Promise<string[]>, verb: Verb, target: Target) => {
      try {
        one.ids = await answer;
        if (one.ids.length === 0) retract(one);
        else if (target.quiet !== true) watch(one.ids);
      } catch (error) {
        retract(one);
        dropChange(cache, one.change);
        const missing = missingIn(error);
        if (missing !== null) setStopped({ missing, verb, target });
        else if (target.quiet !== true) refuse(words("act.refused", { why: whyOf(words, error) }));
      }
    },
    [cache, refuse, retract, watch, words],
  );

  /** A job, which tells of itself. */
  const performAll = useCallback(
    async (verb: Verb, target: Target, mailbox: Mailbox | null) => {
      const key = crypto.randomUUID();
      target.onActing?.();
      try {
        await patiently(async () => actOnEverything(everythingFor(verb, target, mailbox), key));
        await cache.invalidateQueries({ queryKey: jobs.queryKey });
      } catch (error) {
        const missing = missingIn(error);
        if (missing === null) refuse(words("act.refused", { why: whyOf(words, error) }));
        else setStopped({ missing, verb, target });
      }
    },
    [cache, refuse, words],
  );

  const perform = useCallback(
    (verb: Verb, target: Target, mailbox: Mailbox | null) => {
      if (target.everything !== undefined) {
        void performAll(verb, target, mailbox);
        return;
      }
      const change = changeFor(cache, verb, target, mailbox);
      const inverse = inverseOf(cache, change, target);
      target.onActing?.();
      addChange(cache, change);
      const answer = send(cache, change.id, verb, target, mailbox);
      const one: Done = { inverse, change: change.id, requests: answer.catch(() => []), ids: [], untell: () => undefined };
      if (target.quiet !== true) {
        const count = target.messages?.length ?? target.threads.length;
        const back = () => {
          retract(one);
          void takeBack(one);
        };
        const action = verb === "delete" ? undefined : { label: words("act.undo"), hint: "z", run: back };
        const silent = isMarking(verb) && count === 1;
        if (!silent) one.untell = toast({ text: words(`act.done.${verb}`, { count }), seconds: offer(cache), ...(action && { action }) });
        if (verb !== "delete") done.current.push(one);
      }
      void follow(one, answer, verb, target);
    },
    [cache, follow, performAll, retract, takeBack, toast, words],
  );

  /** The mail server has done it, or has said why not. */
  const settled = useCallback(
    ({ id, state, subject, reason }: Entry) => {
      setWaiting((others) => others.filter((other) => other !== id));
      if (state === "applied") return;
      for (const one of done.current.filter(({ ids }) => ids.includes(id))) retract(one);
      refuse(words("act.rolled_back", { what: subject || words("list.no_subject"), why: reason }));
    },
    [refuse, retract, words],
  );
  return useMemo(
    () => ({ perform, undo, waiting, settled, stopped, clear: () => setStopped(null) }),
    [perform, undo, waiting, settled, stopped],
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
