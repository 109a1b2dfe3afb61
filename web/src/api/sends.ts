/** What is on its way out, and what can still be done about it. */
import { queryOptions } from "@tanstack/react-query";

import { call } from "./coming";
import { keys } from "./keys";
import type { Send } from "./schema";

export interface Queued {
  outbox_id: string;
  undo_until: string;
  due: string;
  position: number;
}

/** Queued, attempted, failed and unconfirmed ones. */
export const openSends = queryOptions({
  queryKey: [...keys.sends, "open"],
  queryFn: async ({ signal }) => (await call<{ sends: Send[] }>("GET", "/api/send?state=open", { signal })).sends,
});

const OPEN: ReadonlySet<Send["state"]> = new Set(["queued", "attempted"]);

/** One until it has come to an end. The server may take its time, so it is asked for again, less and less often. */
export const send = (id: string) =>
  queryOptions({
    queryKey: [...keys.sends, id],
    queryFn: async ({ signal }) => call<Send>("GET", `/api/send/${id}`, { signal }),
    refetchInterval: ({ state }) =>
      state.data === undefined || OPEN.has(state.data.state) ? Math.min(2_000 * 2 ** state.dataUpdateCount, 60_000) : false,
  });

/** `due` null: as soon as it can no longer be undone. Sent once, however often it is asked with the same key. */
export const sendDraft = async (body: { draft_id: string; revision: number; due: string | null }, key: string) =>
  call<Queued>("POST", "/api/send", { body, headers: { "Idempotency-Key": key } });

export const undoSend = async (id: string) => call<{ draft_id: string; position: number }>("POST", `/api/send/${id}/undo`);

/** `due` null: now. */
export const rescheduleSend = async (id: string, due: string | null) => call<Send>("PATCH", `/api/send/${id}`, { body: { due } });

export const retrySend = async (id: string, key: string) =>
  call<Queued>("POST", `/api/send/${id}/retry`, { headers: { "Idempotency-Key": key } });

/** A failed or unconfirmed one is spoken of no more. */
export const setAside = async (id: string) => call<undefined>("DELETE", `/api/send/${id}`);
