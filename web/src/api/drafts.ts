/** Drafts: what to ask, and what can be changed of them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import { keys } from "./keys";
import type { Draft, NewDraft, Upload } from "./schema";

/** What is written in a draft, as it is saved. */
export type Content = Pick<Draft, "identity_id" | "to" | "cc" | "bcc" | "subject" | "html" | "plain" | "quote">;

export const drafts = queryOptions({
  queryKey: keys.drafts,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/drafts", { signal }))).drafts,
});

export const draft = (id: string) =>
  queryOptions({
    queryKey: keys.draft(id),
    queryFn: async ({ signal }) => ask(client.GET("/api/drafts/{draft_id}", { params: at(id), signal })),
  });

export const createDraft = async (body: NewDraft) => ask(client.POST("/api/drafts", { body }));

export const saveDraft = async (id: string, body: Content & { revision: number }) =>
  (await ask(client.PUT("/api/drafts/{draft_id}", { params: at(id), body }))).draft;

export const discardDraft = async (id: string) => ask(client.DELETE("/api/drafts/{draft_id}", { params: at(id) }));

export const createUpload = async (id: string, body: Pick<Upload, "filename" | "mime" | "size" | "inline" | "content_id">) =>
  ask(client.POST("/api/drafts/{draft_id}/attachments", { params: at(id), body }));

/** One piece of a file, of at most `PIECE` bytes. */
export const sendPiece = async (id: string, upload: string, offset: number, bytes: Blob, signal: AbortSignal) =>
  ask(
    client.PATCH("/api/drafts/{draft_id}/attachments/{upload_id}", {
      params: { path: { draft_id: id, upload_id: upload }, query: { offset } },
      headers: { "Content-Type": "application/octet-stream" },
      body: bytes,
      bodySerializer: asItIs,
      signal,
    }),
  );

export const removeUpload = async (id: string, upload: string) =>
  ask(client.DELETE("/api/drafts/{draft_id}/attachments/{upload_id}", { params: { path: { draft_id: id, upload_id: upload } } }));

export const PIECE = 1 << 20;

/** Whom one writes to, by the beginning of a name or an address. */
export const suggestions = (q: string) =>
  queryOptions({
    queryKey: ["suggestions", q],
    queryFn: async ({ signal }) => (await ask(client.GET("/api/recipients/suggest", { params: { query: { q } }, signal }))).recipients,
    enabled: q !== "",
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });

function at(id: string) {
  return { path: { draft_id: id } };
}

function asItIs<Body>(body: Body): Body {
  return body;
}
