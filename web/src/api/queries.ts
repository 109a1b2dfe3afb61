/** Query options as plain values: what to ask, and the name under which the answer is kept. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import { isSignedOut } from "./errors";
import { keys } from "./keys";
import { type View, viewParameter } from "./view";

export const PAGE = 50;

export const me = queryOptions({
  queryKey: keys.me,
  queryFn: async ({ signal }) => {
    try {
      return await ask(client.GET("/api/auth/me", { signal }));
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

export const config = queryOptions({
  queryKey: keys.config,
  queryFn: async ({ signal }) => ask(client.GET("/api/config", { signal })),
});

export const accounts = queryOptions({
  queryKey: keys.accounts,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/accounts", { signal }))).accounts,
});

/** Jobs tell nothing of themselves, so whoever shows them looks again while one is waiting or running. */
export const accountsWhileSyncing = queryOptions({
  ...accounts,
  refetchInterval: ({ state }) => {
    const jobs = state.data?.flatMap((account) => account.jobs ?? []) ?? [];
    return jobs.some((job) => job.state === "queued" || job.state === "running") ? 2_000 : false;
  },
});

/** One page of a list, by its number from 0. */
export const threadPage = (view: View, page: number) =>
  queryOptions({
    queryKey: [...keys.threads, viewParameter(view), view.kind === "search" ? view.q : "", page],
    queryFn: async ({ signal }) => {
      const query = { view: viewParameter(view), offset: page * PAGE, limit: PAGE };
      const wanted = view.kind === "search" ? { ...query, q: view.q } : query;
      return ask(client.GET("/api/threads", { params: { query: wanted }, signal }));
    },
    gcTime: 5 * 60_000,
  });

/** Messages oldest first, always: the order on screen is the browser's affair. */
export const thread = (id: string) =>
  queryOptions({
    queryKey: keys.thread(id),
    queryFn: async ({ signal }) =>
      ask(client.GET("/api/threads/{thread_id}", { params: { path: { thread_id: id }, query: { sort: "asc" } }, signal })),
  });

/** One message with its body: for those that a thread gave as an envelope only. */
export const message = (id: string) =>
  queryOptions({
    queryKey: keys.message(id),
    queryFn: async ({ signal }) =>
      ask(client.GET("/api/messages/{message_id}", { params: { path: { message_id: id } }, signal })),
    placeholderData: keepPreviousData,
  });
