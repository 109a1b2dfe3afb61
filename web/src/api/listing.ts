/** A list as it is shown: the pages that have been loaded, with what was asked for meanwhile laid over them. */
import type { QueryClient } from "@tanstack/react-query";

import { type Change, changedRow, changesIn, leaves, missingIn } from "./changes";
import { keys } from "./keys";
import type { Account, ThreadPage, ThreadSummary } from "./schema";
import { type View, viewParameter } from "./view";

export const PAGE = 50;

export interface Listing {
  at: (index: number) => ThreadSummary | undefined;
  /** Where a conversation is now, if it is on a page that has been loaded. */
  indexOf: (id: string) => number | undefined;
  /** How many rows there are more or fewer than the server has said. */
  extra: number;
}

/** Which list it is: its key in the cache, and the one place that it shows, if it is one. */
export interface Which {
  key: string;
  place: string | null;
}

/** Before a row of the server's list one comes back, or it is not shown any more. */
interface Edit {
  index: number;
  back: ThreadSummary | null;
}

export function whichList(view: View, accounts: readonly Account[]): Which {
  return { key: listKey(view), place: placeOf(view, accounts) };
}

export function listKey(view: View): string {
  return view.kind === "search" ? `search ${view.q}` : viewParameter(view);
}

/** A mailbox's use, or its id; null for a list of many places. */
export function placeOf(view: View, accounts: readonly Account[]): string | null {
  switch (view.kind) {
    case "unified":
      return "inbox";
    case "mailbox":
      return accounts.flatMap(({ mailboxes }) => mailboxes).find(({ id }) => id === view.mailbox)?.special_use ?? view.mailbox;
    case "special":
      return view.special === "starred" ? null : view.special;
    case "account":
    case "search":
      return null;
  }
}

export function listing(pages: ReadonlyMap<number, ThreadPage>, changes: readonly Change[], which: Which): Listing {
  const rows = new Map<number, ThreadSummary>();
  const places = new Map<string, number>();
  const edits: Edit[] = [];
  for (const [number, page] of pages) {
    const missing = missingIn(page.position, changes);
    for (const [offset, row] of page.threads.entries()) {
      const index = number * PAGE + offset;
      rows.set(index, changedRow(row, missing));
      places.set(row.id, index);
      if (isGone(row.id, missing, which)) edits.push({ index, back: null });
    }
  }
  edits.push(...comingBack(pages, changes, which, places, rows));
  edits.sort((a, b) => a.index - b.index || Number(b.back !== null) - Number(a.back !== null));
  const returned = new Map(edits.flatMap(({ back }, nth) => (back === null ? [] : [[back.id, nth] as const])));
  return {
    at: (index) => find(index, edits, rows),
    indexOf: (id) => locate(places.get(id), returned.get(id), edits),
    extra: edits.reduce((sum, { back }) => sum + (back === null ? -1 : 1), 0),
  };
}

/** The last change that takes a conversation out of this list or brings it back decides. */
function isGone(id: string, missing: readonly Change[], which: Which): boolean {
  const last = missing.findLast(({ move, whole, back }) => back?.rows.some((row) => row.id === id) === true || (move !== null && whole.includes(id)));
  if (last === undefined || last.back !== null || last.move === null) return unstarred(id, missing, which);
  return leaves(last.move, which.place);
}

function unstarred(id: string, missing: readonly Change[], which: Which): boolean {
  return which.key === "special:starred" && missing.findLast(({ rows }) => rows[id]?.starred !== undefined)?.rows[id]?.starred === false;
}

function comingBack(
  pages: ReadonlyMap<number, ThreadPage>,
  changes: readonly Change[],
  which: Which,
  places: ReadonlyMap<string, number>,
  rows: ReadonlyMap<number, ThreadSummary>,
): Edit[] {
  const found = new Map<string, Edit>();
  for (const [number, page] of pages) {
    for (const change of missingIn(page.position, changes)) {
      for (const row of change.back?.list === which.key ? (change.back?.rows ?? []) : []) {
        const index = placeFor(row, number * PAGE, page, rows);
        if (index !== undefined && !places.has(row.id)) found.set(row.id, { index, back: row });
      }
      if (change.move !== null) for (const id of change.whole) found.delete(id);
    }
  }
  return [...found.values()];
}

/** Newest first: before the first row of the page that is older; undefined where it belongs on another page. */
function placeFor(row: ThreadSummary, start: number, page: ThreadPage, rows: ReadonlyMap<number, ThreadSummary>): number | undefined {
  const older = page.threads.findIndex((other) => isOlder(other, row));
  const before = rows.get(start - 1);
  if (older === 0 && start > 0 && (before === undefined || isOlder(before, row))) return undefined;
  if (older !== -1) return start + older;
  return page.threads.length < PAGE ? start + page.threads.length : undefined;
}

function isOlder(one: ThreadSummary, other: ThreadSummary): boolean {
  const [a, b] = [Date.parse(one.last_message_at), Date.parse(other.last_message_at)];
  return a < b || (a === b && one.id < other.id);
}

function find(index: number, edits: readonly Edit[], rows: ReadonlyMap<number, ThreadSummary>): ThreadSummary | undefined {
  let shift = 0;
  for (const edit of edits) {
    const at = edit.index + shift;
    if (at > index) break;
    if (edit.back !== null && at === index) return edit.back;
    shift += edit.back === null ? -1 : 1;
  }
  return rows.get(index - shift);
}

function locate(index: number | undefined, nth: number | undefined, edits: readonly Edit[]): number | undefined {
  const before = index === undefined ? edits.slice(0, nth) : edits.filter((edit) => edit.index <= index);
  const at = index ?? (nth === undefined ? undefined : edits[nth]?.index);
  if (at === undefined || before.some((edit) => edit.back === null && edit.index === index)) return undefined;
  return before.reduce((sum, { back }) => sum + (back === null ? -1 : 1), at);
}

/** The pages of a list that are in the cache. */
function pagesOf(cache: QueryClient, view: View): ReadonlyMap<number, ThreadPage> {
  const pages = cache.getQueriesData<ThreadPage>({ queryKey: [...keys.threads, viewParameter(view), view.kind === "search" ? view.q : ""] });
  return new Map(pages.flatMap(([key, page]) => (page === undefined ? [] : [[Number(key.at(-1)), page] as const])));
}

/** All rows of a list that have been loaded, as they are shown. */
export function loadedRows(cache: QueryClient, view: View): ThreadSummary[] {
  const accounts = cache.getQueryData<Account[]>(keys.accounts) ?? [];
  const pages = pagesOf(cache, view);
  const list = listing(pages, changesIn(cache), whichList(view, accounts));
  const ids = [...pages.values()].flatMap(({ threads }) => threads.map(({ id }) => id));
  const places = ids.flatMap((id) => list.indexOf(id) ?? []).toSorted((a, b) => a - b);
  return places.flatMap((index) => list.at(index) ?? []);
}

/** A conversation's row, in whichever list it has been loaded. */
export function loadedRow(cache: QueryClient, id: string): ThreadSummary | undefined {
  for (const [, page] of cache.getQueriesData<ThreadPage>({ queryKey: keys.threads })) {
    const row = page?.threads.find((one) => one.id === id);
    if (page !== undefined && row !== undefined) return changedRow(row, missingIn(page.position, changesIn(cache)));
  }
  return undefined;
}

/** The conversation that follows another in a list once `leaving` are gone, else the one before it. */
export function neighbourOf(cache: QueryClient, view: View, id: string, leaving: readonly string[]): string | null {
  const rows = loadedRows(cache, view);
  const index = rows.findIndex((row) => row.id === id);
  const stays = (row: ThreadSummary) => row.id !== id && !leaving.includes(row.id);
  return index === -1 ? null : (rows.slice(index).find(stays)?.id ?? rows.slice(0, index).findLast(stays)?.id ?? null);
}
