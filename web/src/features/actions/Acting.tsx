/** Stands above the mail: does what is asked there, with the questions that this takes. */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";

import { Acting as Actor, type Target, type Verb } from "@/api/acting";
import { useKeys } from "@/ui/keyboard";
import { preloadSheet } from "@/ui/Sheet";

import { Jobs } from "./Jobs";
import { Outcome } from "./Outcome";
import { useActing } from "./useActing";

const picker = async () => import("./MovePicker");
const MovePicker = lazy(picker);
const MissingMailbox = lazy(async () => import("./MissingMailbox"));
const ConfirmDelete = lazy(async () => import("./ConfirmDelete"));

/** The first mail comes first. */
const LATER = 2_000;

interface Asked {
  verb: "move" | "delete";
  target: Target;
}

export function Acting({ children }: { children: ReactNode }) {
  const { perform, undo, waiting, settled, stopped, clear } = useActing();
  const [asked, setAsked] = useState<Asked | null>(null);
  const act = useCallback(
    (verb: Verb, target: Target) => {
      if ((target.messages ?? target.threads).length === 0) return;
      if (verb === "move" || verb === "delete") setAsked({ verb, target });
      else perform(verb, target, null);
    },
    [perform],
  );
  // Whoever presses `v` goes on typing at once. What can't be had now is asked for again when it is needed.
  useEffect(() => {
    const timer = setTimeout(() => void Promise.allSettled([picker(), preloadSheet()]), LATER);
    return () => clearTimeout(timer);
  }, []);
  useKeys({ z: undo });
  const close = () => setAsked(null);
  return (
    <Actor.Provider value={act}>
      {children}
      <Jobs />
      {waiting.map((one) => (
        <Outcome key={one} request={one} onSettled={settled} />
      ))}
      <Suspense>
        {asked?.verb === "move" && (
          <MovePicker
            target={asked.target}
            onClose={close}
            onChoose={(mailbox) => {
              close();
              perform("move", asked.target, mailbox);
            }}
          />
        )}
        {asked?.verb === "delete" && (
          <ConfirmDelete
            target={asked.target}
            onClose={close}
            onConfirm={() => {
              close();
              perform("delete", asked.target, null);
            }}
          />
        )}
        {stopped !== null && (
          <MissingMailbox
            missing={stopped.missing}
            onClose={clear}
            onReady={() => {
              clear();
              perform(stopped.verb, stopped.target, null);
            }}
          />
        )}
      </Suspense>
    </Actor.Provider>
  );
}
