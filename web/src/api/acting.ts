/** What can be done with mail, and to which; who does it stands above everything that asks for it. */
import { createContext, useContext } from "react";

import type { Message } from "./schema";
import type { View } from "./view";

const MARKINGS = ["star", "unstar", "read", "unread"] as const;

/** What changes no mail's place. */
export type Marking = (typeof MARKINGS)[number];

export type Verb = Marking | "archive" | "trash" | "junk" | "not_junk" | "delete" | "move";

export function isMarking(verb: Verb): verb is Marking {
  return (MARKINGS as readonly Verb[]).includes(verb);
}

export interface Target {
  /** The list where it was chosen. */
  view: View;
  threads: readonly string[];
  /** Single messages, instead of whole conversations. */
  messages?: readonly Message[];
  /** All that the list holds, also what was never loaded: how many conversations. */
  everything?: number | undefined;
  /** Nobody asked for it, so nobody is told, and nothing is to be undone. */
  quiet?: boolean;
  /** Called when it is really about to be done, and nothing has changed yet. */
  onActing?: () => void;
}

export type Act = (verb: Verb, target: Target) => void;

export const Acting = createContext<Act>(() => undefined);

export function useAct(): Act {
  return useContext(Acting);
}

/** What the chosen mail is like, on which it depends what an action does. */
export interface Marks {
  starred: boolean;
  unread: boolean;
  /** Of the list: a mailbox's use or id. */
  place: string | null;
}

export const starring = ({ starred }: Marks): Verb => (starred ? "unstar" : "star");
export const reading = ({ unread }: Marks): Verb => (unread ? "read" : "unread");
/** What is in the trash is deleted from there. */
export const discarding = ({ place }: Marks): Verb => (place === "trash" ? "delete" : "trash");
export const judging = ({ place }: Marks): Verb => (place === "junk" ? "not_junk" : "junk");

/** The keys of actions; `ask` gets the verb. */
export function actionKeys(marks: () => Marks, ask: (verb: Verb) => void): Record<string, () => void> {
  return {
    e: () => {
      if (marks().place !== "archive") ask("archive");
    },
    "#": () => ask(discarding(marks())),
    "!": () => ask(judging(marks())),
    s: () => ask(starring(marks())),
    v: () => ask("move"),
    U: () => ask("unread"),
  };
}

/** The actions as buttons, which every place that offers them is given. */
export interface ActionsProps {
  marks: Marks;
  ask: (verb: Verb) => void;
  /** For the room in a row: only what is done most. */
  few?: boolean;
  className?: string;
}
