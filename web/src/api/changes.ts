/** What has been asked for and the server's answers may not show yet: laid over every answer that is older than it. */
import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";

import { keys } from "./keys";
import type { Message, Thread, ThreadSummary } from "./schema";

/** What becomes of a message: its flags, and where it is. */
export type Flags = Partial<Pick<Message, "unread" | "starred" | "mailbox_ids">>;

/** What becomes of a conversation's row. */
export type RowFlags = Partial<Pick<ThreadSummary, "unread_count" | "starred">>;

/** From where to where; a place is a mailbox's use, or the id of one that has none. */
export interface Move {
  /** Null: wherever the conversation was. */
  from: string | null;
  /** Null: nowhere, for ever. */
  to: string | null;
}

export interface Change {
  /** Also the name under which the gateway does it only once. */
  id: string;
  /** Answers from this position on include it; null until the gateway has said which. */
  position: number | null;
  /** When it has; numbers that were asked for after that include it. */
  settledAt: number | null;
  /** Mailboxes with the number of unread conversations that they then have. */
  unread: Readonly<Record<string, number>>;
  rows: Readonly<Record<string, RowFlags>>;
  messages: Readonly<Record<string, Flags>>;
  /** Conversations of which every message changes. */
  whole: readonly string[];
  flags: Flags;
  move: Move | null;
  /** Conversations that come back into a list, whose key is `list`. */
  back: { list: string; rows: readonly ThreadSummary[] } | null;
}

export const NO_CHANGE: Omit<Change, "id"> = { position: null, settledAt: null, unread: {}, rows: {}, messages: {}, whole: [], flags: {}, move: null, back: null };

const NONE: readonly Change[] = [];

export function useChanges(): readonly Change[] {
  const { data } = useQuery<readonly Change[]>({ queryKey: keys.changes, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY });
  return data ?? NONE;
}

export function changesIn(cache: QueryClient): readonly Change[] {
  return cache.getQueryData<readonly Change[]>(keys.changes) ?? NONE;
}

/** Those that every answer in the cache includes have done their work. */
export function addChange(cache: QueryClient, change: Change): void {
  const oldest = oldestAnswer(cache);
  const all = changesIn(cache);
  const numbers = new Set(uncounted(all, cache.getQueryState(keys.accounts)?.dataUpdatedAt ?? 0));
  const needed = all.filter((one) => one.position === null || one.position > oldest || numbers.has(one));
  cache.setQueryData<readonly Change[]>(keys.changes, [...needed, change]);
}

/** The gateway has said from where on its answers include it. */
export function settleChange(cache: QueryClient, id: string, position: number): void {
  cache.setQueryData<readonly Change[]>(keys.changes, (all = NONE) => all.map((one) => (one.id === id ? { ...one, position, settledAt: Date.now() } : one)));
}

/** It will not be, so it is shown no more. */
export function dropChange(cache: QueryClient, id: string): void {
  cache.setQueryData<readonly Change[]>(keys.changes, (all = NONE) => all.filter((one) => one.id !== id));
}

function oldestAnswer(cache: QueryClient): number {
  const found = [keys.threads, ["thread"]].flatMap((queryKey) => cache.getQueriesData<{ position?: number }>({ queryKey }));
  return Math.min(...found.map(([, data]) => data?.position ?? Number.POSITIVE_INFINITY));
}

/** The changes whose numbers an answer of this time does not include: it has no position, since not all of it is folded. */
export function uncounted(changes: readonly Change[], answeredAt: number): readonly Change[] {
  return changes.filter(({ settledAt, unread }) => Object.keys(unread).length > 0 && (settledAt === null || settledAt > answeredAt));
}

/** The changes that an answer of this position does not include. */
export function missingIn(position: number, changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => change.position === null || change.position > position);
}

export function changedRow(row: ThreadSummary, changes: readonly Change[]): ThreadSummary {
  const flags = changes.flatMap(({ rows }) => rows[row.id] ?? []);
  return flags.length === 0 ? row : Object.assign({}, row, ...flags);
}

/** A message that is thrown away by itself leaves its conversation; one whose conversation leaves is shown until the reader does. */
export function changedThread(thread: Thread, changes: readonly Change[]): Thread {
  const missing = missingIn(thread.position, changes).filter((change) => concerns(change, thread));
  if (missing.length === 0) return thread;
  const messages = thread.messages
    .filter((message) => !missing.some((change) => throwsAway(change.move) && change.messages[message.id] !== undefined))
    .map((message): Message => Object.assign({}, message, ...missing.map((change) => flagsOf(change, message))));
  return { ...thread, messages };
}

function concerns({ whole, messages }: Change, thread: Thread): boolean {
  return whole.includes(thread.id) || thread.messages.some(({ id }) => messages[id] !== undefined);
}

function flagsOf(change: Change, message: Message): Flags {
  return change.messages[message.id] ?? (change.whole.includes(message.thread_id) ? change.flags : {});
}

export function throwsAway(move: Move | null): boolean {
  return move !== null && (move.to === null || move.to === "trash" || move.to === "junk");
}

/** Whether what is moved leaves the list of a place; `place` is null for lists of many places. */
export function leaves(move: Move, place: string | null): boolean {
  if (place !== null && place === move.to) return false;
  return throwsAway(move) || (place !== null && (move.from === null || place === move.from));
}
