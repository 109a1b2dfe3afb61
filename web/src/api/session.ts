/** Forgetting whoever was signed in. */
import type { QueryClient } from "@tanstack/react-query";

import { keys } from "./keys";

const NOBODYS = new Set<unknown>([keys.me[0], keys.config[0]]);

/** Only once nothing shows it any more: what is on screen would ask for it again. */
export function forget(cache: QueryClient): void {
  cache.removeQueries({ predicate: ({ queryKey }) => !NOBODYS.has(queryKey[0]) });
}
