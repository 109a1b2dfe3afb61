/** Query options as plain values: what to ask, and the name under which the answer is kept. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import { isSignedOut } from "./errors";
import { keys } from "./keys";
import { PAGE } from "./listing";
import { type View, viewParameter } from "./view";

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

/** Other tabs change accounts too, and not all of that is told by an event. */
export const accounts = queryOptions({
  queryKey: keys.accounts,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/accounts", { signal }))).accounts,
  refetchOnWindowFocus: "always",
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

/** As it is shown from a list. Messages oldest first, always: the order on screen is the browser's affair. */
export const thread = (id: string, view: View) =>
  queryOptions({
    queryKey: [...keys.thread(id), viewParameter(view)],
    queryFn: async ({ signal }) => {
      const query = { sort: "asc" as const, view: viewParameter(view) };
      return ask(client.GET("/api/threads/{thread_id}", { params: { path: { thread_id: id }, query }, signal }));
    },
  });

/** One message with its body: for those that a thread gave as an envelope only. */
export const message = (id: string) =>
  queryOptions({
    queryKey: keys.message(id),
    queryFn: async ({ signal }) =>
      ask(client.GET("/api/messages/{message_id}", { params: { path: { message_id: id } }, signal })),
    placeholderData: keepPreviousData,
  });

export const headers = (id: string) =>
  queryOptions({
    queryKey: [...keys.message(id), "headers"],
    queryFn: async ({ signal }) => 
      (await ask(client.GET("/api/messages/{message_id}/headers", { params: { path: { message_id: id } }, signal }))).headers,
  });

/** What has been asked for, newest first, page by page. */
export const history = infiniteQueryOptions({
  queryKey: [...keys.history, "all"],
  queryFn: async ({ signal, pageParam }) => ask(client.GET("/api/history", { params: { query: pageParam === null ? {} : { cursor: pageParam } }, signal })),
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.next_cursor,
});

/** What has been asked of a conversation's messages, newest first. */
export const threadHistory = (id: string) =>
  queryOptions({
    queryKey: [...keys.history, "thread", id],
    queryFn: async ({ signal }) =>
      (await ask(client.GET("/api/threads/{thread_id}/history", { params: { path: { thread_id: id } }, signal }))).entries,
  });

/** What became of one request. The server may take its time, so the answer is asked for again, less and less often. */
export const request = (id: string) =>
  queryOptions({
    queryKey: [...keys.history, "request", id],
    queryFn: async ({ signal }) => ask(client.GET("/api/history/{request_id}", { params: { path: { request_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "pending" ? Math.min(2_000 * 2 ** state.dataUpdateCount, 60_000) : false),
  });
