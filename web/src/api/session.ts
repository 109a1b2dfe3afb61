/** Forgetting whoever was signed in. */
import type { QueryClient } from "@tanstack/react-query";

import { keys } from "./keys";

const NOBODYS = new Set<unknown>([keys.me[0], keys.config[0]]);

/** Under which this browser keeps drafts that the gateway could not be told of. */
export const COPIES = "webmail.draft.";

/** Whoever signs out by themselves leaves nothing written here. */
export function forgetCopies(): void {
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(COPIES))) localStorage.removeItem(key);
}

/** Only once nothing shows it any more: what is on screen would ask for it again. */
export function forget(cache: QueryClient): void {
  cache.removeQueries({ predicate: ({ queryKey }) => !NOBODYS.has(queryKey[0]) });
}
