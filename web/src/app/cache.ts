/** The cache of everything asked: nothing grows old by itself, the socket says what is stale. */
import { QueryCache, QueryClient } from "@tanstack/react-query";

import { ApiError, isSignedOut } from "@/api/errors";
import { keys } from "@/api/keys";

const TRIES = 2;

export function createCache(): QueryClient {
  const cache: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (isSignedOut(error)) cache.setQueryData(keys.me, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // A server on this very machine answers without any network.
        networkMode: "always",
        retry: (count, error) => count < TRIES && isPassing(error),
      },
      mutations: { networkMode: "always" },
    },
  });
  return cache;
}

/** Worth asking again: no answer, or the server's own trouble. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
