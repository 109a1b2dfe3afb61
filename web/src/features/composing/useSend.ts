/** Sends a draft: what is missing is said first, then all is saved, and only that revision goes out. */
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";

import { ApiError } from "@/api/errors";
import type { Draft, Queued } from "@/api/schema";
import { sendDraft } from "@/api/sends";

import { speaksOfFile } from "./attachment";
import type { Desk } from "./desks";
import { isSendable } from "./people";

export type Problem = "nobody" | "address" | "file";

interface Wish {
  due: Date | null;
}

/** What the writer should know before it goes. */
export function problemOf({ keeper, uploads }: Desk): Problem | null {
  const { content } = keeper.get();
  const people = [...content.to, ...content.cc, ...content.bcc];
  if (people.length === 0) return "nobody";
  if (!people.every(isSendable)) return "address";
  return uploads.items.get().every(({ inline }) => inline) && speaksOfFile(content.html) ? "file" : null;
}

export function useSend({ keeper, uploads }: Desk, onSent: (queued: Queued, draft: Draft) => void) {
  // The same for each try of one wish, so that an answer that was lost sends nothing twice.
  const key = useRef<string | null>(null);
  return useMutation<Queued, ApiError, Wish>({
    mutationFn: async ({ due }) => {
      if (!(await uploads.settled())) throw new ApiError("incomplete_upload", "", 409);
      await uploads.prune(keeper.get().content.html);
      // Nobody has written anything yet: what stands there is meant.
      if (keeper.get().draft.revision === 0) keeper.change({});
      const draft = await keeper.flush();
      key.current ??= crypto.randomUUID();
      const queued = await sendDraft({ draft_id: draft.id, revision: draft.revision, due: due?.toISOString() ?? null }, key.current);
      onSent(queued, draft);
      return queued;
    },
    onError: (error) => {
      if (error.status !== 0 && error.status < 500) key.current = null;
    },
  });
}
