/** What is on its way out, and what can still be done about it. */
import { queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import { keys } from "./keys";
import type { Send } from "./schema";

/** Queued, attempted, failed and unconfirmed ones. */
export const openSends = queryOptions({
  queryKey: [...keys.sends, "open"],
  queryFn: async ({ signal }) => (await ask(client.GET("/api/send", { params: { query: { state: "open" } }, signal }))).sends,
});

/** The last ones, also what is sent or taken back. */
export const lastSends = queryOptions({
  queryKey: [...keys.sends, "last"],
  queryFn: async ({ signal }) => (await ask(client.GET("/api/send", { params: { query: { state: "all" } }, signal }))).sends,
});

const OPEN: ReadonlySet<Send["state"]> = new Set(["queued", "attempted"]);

/** One until it has come to an end. The server may take its time, so it is asked for again, less and less often. */
export const send = (id: string) =>
  queryOptions({
    queryKey: [...keys.sends, id],
    queryFn: async ({ signal }) => ask(client.GET("/api/send/{outbox_id}", { params: at(id), signal })),
    refetchInterval: ({ state }) =>
      state.data === undefined || OPEN.has(state.data.state) ? Math.min(2_000 * 2 ** state.dataUpdateCount, 60_000) : false,
  });

/** `due` null: as soon as it can no longer be undone. Sent once, however often it is asked with the same key. */
export const sendDraft = async (body: { draft_id: string; revision: number; due: string | null }, key: string) =>
  ask(client.POST("/api/send", { params: { header: { "Idempotency-Key": key } }, body }));

export const undoSend = async (id: string) => ask(client.POST("/api/send/{outbox_id}/undo", { params: at(id) }));

/** `due` null: now. */
export const rescheduleSend = async (id: string, due: string | null) => ask(client.PATCH("/api/send/{outbox_id}", { params: at(id), body: { due } }));

export const retrySend = async (id: string, key: string) =>
  ask(client.POST("/api/send/{outbox_id}/retry", { params: { ...at(id), header: { "Idempotency-Key": key } } }));

/** A failed or unconfirmed one is spoken of no more. */
export const setAside = async (id: string) => ask(client.DELETE("/api/send/{outbox_id}", { params: at(id) }));

function at(id: string) {
  return { path: { outbox_id: id } };
}
