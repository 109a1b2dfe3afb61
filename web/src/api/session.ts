/** Leaving: what is being written is saved first, and then nothing of whoever was signed in stays in this browser. */
import type { QueryClient } from "@tanstack/react-query";

import { keys } from "./keys";

const NOBODYS = new Set<unknown>([keys.me[0], keys.config[0]]);

/** Under which this browser keeps drafts that the gateway could not be told of. */
export const COPIES = "webmail.draft.";

/** What is being written here. */
export interface Written {
  /** Rejects when not all of it can be saved. */
  save: () => Promise<unknown>;
  /** Nothing of it is to be kept. */
  drop: () => void;
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

/** Only once nothing shows it any more: what is on screen would ask for it again. */
export function forget(cache: QueryClient): void {
  for (const { drop } of written) drop();
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(COPIES))) localStorage.removeItem(key);
  cache.removeQueries({ predicate: ({ queryKey }) => !NOBODYS.has(queryKey[0]) });
}
