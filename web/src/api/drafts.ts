/** Drafts: what to ask, and what can be changed of them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { call } from "./coming";
import { keys } from "./keys";
import type { Addr, Draft, DraftSummary, Kind, Upload } from "./schema";

/** What is written in a draft, as it is saved. */
export type Content = Pick<Draft, "identity_id" | "to" | "cc" | "bcc" | "subject" | "html" | "plain" | "quote">;

export interface NewDraft {
  kind: Kind;
  account_id: string | null;
  identity_id: string | null;
  /** What is answered or forwarded; of a new one: the draft that it goes on from. */
  message_id: string | null;
  as_attachment: boolean;
  to: Addr[];
}

export const drafts = queryOptions({
  queryKey: keys.drafts,
  queryFn: async ({ signal }) => (await call<{ drafts: DraftSummary[] }>("GET", "/api/drafts", { signal })).drafts,
});

export const draft = (id: string) =>
  queryOptions({
    queryKey: keys.draft(id),
    queryFn: async ({ signal }) => call<Draft>("GET", `/api/drafts/${id}`, { signal }),
  });

export const createDraft = async (body: NewDraft) => call<Draft>("POST", "/api/drafts", { body });

export const saveDraft = async (id: string, body: Content & { revision: number }) =>
  (await call<{ draft: Draft }>("PUT", `/api/drafts/${id}`, { body })).draft;

export const discardDraft = async (id: string) => call<undefined>("DELETE", `/api/drafts/${id}`);

export const createUpload = async (id: string, body: Pick<Upload, "filename" | "size" | "inline" | "content_id">) =>
  call<Upload>("POST", `/api/drafts/${id}/attachments`, { body });

/** One piece of a file, of at most `PIECE` bytes. */
export const sendPiece = async (id: string, upload: string, offset: number, bytes: Blob, signal: AbortSignal) =>
  call<Upload>("PATCH", `/api/drafts/${id}/attachments/${upload}?offset=${offset}`, { bytes, signal });

export const removeUpload = async (id: string, upload: string) => call<undefined>("DELETE", `/api/drafts/${id}/attachments/${upload}`);

export const PIECE = 1 << 20;

/** Whom one writes to, by the beginning of a name or an address. */
export const suggestions = (q: string) =>
  queryOptions({
    queryKey: ["suggestions", q],
    queryFn: async ({ signal }) =>
      (await call<{ recipients: Addr[] }>("GET", `/api/recipients/suggest?${new URLSearchParams({ q })}`, { signal })).recipients,
    enabled: q !== "",
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
