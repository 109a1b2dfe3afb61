/** What is open or still being saved, a draft each: it outlives the component that shows it, since a composer moves. */
import type { QueryClient } from "@tanstack/react-query";

import { draftIn } from "@/api/composing";
import { createUpload, discardDraft, PIECE, removeUpload, saveDraft, sendPiece } from "@/api/drafts";
import { ApiError, isSignedOut } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Draft } from "@/api/schema";
import { whenLeaving } from "@/api/session";

import { copiesHere } from "./copies";
import { Keeper } from "./keeper";
import { Uploads } from "./uploads";

export interface Desk {
  keeper: Keeper;
  uploads: Uploads;
  /** How pictures that were put in here are shown, by their Content-ID. */
  pictures: Map<string, string>;
}

const desks = new Map<string, Desk>();
const ALL = { save: saveAll, leave: leaveAll };

export function deskOf(draft: Draft, cache: QueryClient): Desk {
  const open = desks.get(draft.id);
  if (open !== undefined) return open;
  const keeper = new Keeper(
    draft,
    async (id, body) => {
      try {
        const saved = await saveDraft(id, body);
        cache.setQueryData(keys.draft(id), saved);
        return saved;
      } catch (error) {
        if (isSignedOut(error)) cache.setQueryData(keys.me, null);
        throw error;
      }
    },
    copiesHere,
  );
  const uploads = new Uploads(draft.id, draft.attachments, { create: createUpload, piece: sendPiece, remove: removeUpload, size: PIECE });
  const desk: Desk = { keeper, uploads, pictures: new Map() };
  desks.set(draft.id, desk);
  globalThis.addEventListener("pagehide", keepAll);
  globalThis.addEventListener("online", retryAll);
  whenLeaving(ALL);
  return desk;
}

/** Saves what is left and forgets it, unless somebody is back at it. What nobody wrote anything in is not kept at all. */
export async function leaveDesk(id: string, cache: QueryClient): Promise<void> {
  const desk = desks.get(id);
  if (desk === undefined || isOpen(id)) return;
  const { keeper, uploads } = desk;
  const { draft } = keeper.get();
  const untouched = draft.revision === 0 && !keeper.isChanged && uploads.items.get().filter(isFile).length === draft.attachments.filter(isFile).length && draft.outbox_id === null;
  try {
    if (untouched && keeper.get().saving !== "closed") await discardDraft(id).catch(forgiving);
    else {
      await uploads.prune(keeper.get().content.html);
      if (keeper.isChanged) await keeper.flush().catch(forgiving);
    }
  } finally {
    // One that could not be saved stays here and goes on trying.
    if (!keeper.isChanged && !isOpen(id)) clear(id, desk);
    if (untouched) cache.removeQueries({ queryKey: keys.draft(id) });
    await cache.invalidateQueries({ queryKey: keys.drafts });
  }
}

/** The pictures of a signature are there without anybody's doing. */
function isFile({ inline }: { inline: boolean }): boolean {
  return !inline;
}

function isOpen(id: string): boolean {
  return draftIn(globalThis.location.search) === id;
}

/** What was written in one that is gone is in another: the copy of it stays until that is saved. */
export async function goOnAs(from: string, to: string): Promise<void> {
  try {
    await desks.get(to)?.keeper.flush();
    copiesHere.drop(from);
  } catch (error) {
    forgiving(error);
  }
}

/** It was sent or discarded. */
export function clearDesk(id: string): void {
  const desk = desks.get(id);
  if (desk === undefined) return;
  desk.keeper.close();
  clear(id, desk);
}

function clear(id: string, { uploads, pictures }: Desk): void {
  uploads.stop();
  for (const address of pictures.values()) URL.revokeObjectURL(address);
  desks.delete(id);
}

function keepAll(): void {
  for (const { keeper } of desks.values()) keeper.keepHere();
}

/** Rejects when something can't be saved. */
async function saveAll(): Promise<void> {
  const changed = [...desks.values()].filter(({ keeper }) => keeper.isChanged);
  await Promise.all(
    changed.map(async ({ keeper }) => {
      keeper.retry();
      await keeper.flush();
    }),
  );
}

function leaveAll(): void {
  for (const [id, desk] of desks) {
    desk.keeper.leave();
    clear(id, desk);
  }
}

function retryAll(): void {
  for (const { keeper } of desks.values()) keeper.retry();
}

function forgiving(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
