/**
 * Leaving: whoever signs out has what is being written saved first, and then nothing of them stays in this browser. Whose session merely
 * ended finds what could not be saved when they sign in again; nobody else does.
 */
import type { QueryClient } from "@tanstack/react-query";

import { keys } from "./keys";

const NOBODYS = new Set<unknown>([keys.me[0], keys.config[0]]);

/** Under which this browser keeps drafts that the gateway could not be told of. */
export const COPIES = "webmail.draft.";

/** Whose they are. */
const WHOSE = "webmail.drafts_of";

/** What is being written here. */
export interface Written {
  /** Rejects when not all of it can be saved. */
  save: () => Promise<unknown>;
  /** Nobody is here any more: what is not saved becomes a copy. */
  leave: () => void;
}

const written = new Set<Written>();

export function whenLeaving(what: Written): void {
  written.add(what);
}

/** Whether all that is being written here is with the gateway, as far as that can be known soon. */
export async function saveHere(patience: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patience, false);
  });
  const saving = Promise.all([...written].map(async ({ save }) => save())).then(
    () => true,
    () => false,
  );
  return Promise.race([saving, late]).finally(() => clearTimeout(timer));
}

let forGood = false;

/** Somebody signs out: with the rest the copies will be forgotten. */
export function leaveForGood(): void {
  forGood = true;
}

/** Only once nothing shows it any more: what is on screen would ask for it again. */
export function forget(cache: QueryClient): void {
  for (const { leave } of written) leave();
  if (forGood) dropCopies();
  forGood = false;
  cache.removeQueries({ predicate: ({ queryKey }) => !NOBODYS.has(queryKey[0]) });
}

/** Copies of anybody else are no more. */
export function arrive(person: string): void {
  if (localStorage.getItem(WHOSE) === person) return;
  dropCopies();
  localStorage.setItem(WHOSE, person);
}

function dropCopies(): void {
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(COPIES) || one === WHOSE)) localStorage.removeItem(key);
}
