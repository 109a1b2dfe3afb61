/** From what somebody does to what is asked of the gateway, what is shown meanwhile, and what takes both back. */
import type { QueryClient } from "@tanstack/react-query";

import { isMarking, type Marking, type Target, type Verb } from "@/api/acting";
import { type Change, changesIn, changedThread, type Flags, type Move, NO_CHANGE, type RowFlags } from "@/api/changes";
import { countedIn, recounted, type Unread, unreadIn, unreadRow } from "@/api/counts";
import { keys } from "@/api/keys";
import { listKey, loadedRow, placeOf } from "@/api/listing";
import type { EverythingWish } from "@/api/jobs";
import type { Account, ActionWish, Mailbox, Message, Thread, ThreadSummary } from "@/api/schema";
import { viewParameter } from "@/api/view";

/** Conversations or messages of one request. */
const MOST = 500;

const SEEN = String.raw`\Seen`;
const FLAGGED = String.raw`\Flagged`;

const MARKINGS: Record<Marking, Pick<ActionWish, "add" | "remove"> & { flags: Flags }> = {
  star: { add: [FLAGGED], flags: { starred: true } },
  unstar: { remove: [FLAGGED], flags: { starred: false } },
  read: { add: [SEEN], flags: { unread: false } },
  unread: { remove: [SEEN], flags: { unread: true } },
};

const DESTINATIONS: Record<Exclude<Verb, Marking | "move">, string | null> = {
  archive: "archive",
  trash: "trash",
  junk: "junk",
  not_junk: "inbox",
  delete: null,
};

/** What is sent, in as many pieces as it takes. `mailbox`: where to, for a move. */
export function wishesFor(verb: Verb, target: Target, mailbox: Mailbox | null): ActionWish[] {
  const rest = wishFor(verb, target, mailbox);
  const name = target.messages === undefined ? "thread_ids" : "message_ids";
  const ids = target.messages?.map(({ id }) => id) ?? target.threads;
  return pieces(ids).map((piece) => Object.assign({ [name]: piece }, rest));
}

/** The same for all that a list holds. */
export function everythingFor(verb: Verb, target: Target, mailbox: Mailbox | null): EverythingWish {
  return { ...wishFor(verb, target, mailbox), q: target.view.kind === "search" ? target.view.q : "" };
}

function wishFor(verb: Verb, target: Target, mailbox: Mailbox | null) {
  const marking = isMarking(verb) ? MARKINGS[verb] : null;
  return {
    action: marking === null ? action(verb) : ("flags" as const),
    ...(marking?.add && { add: marking.add }),
    ...(marking?.remove && { remove: marking.remove }),
    ...(mailbox !== null && { mailbox_id: mailbox.id }),
    view: viewParameter(target.view),
    confirmed: verb === "delete",
  };
}

function action(verb: Verb): Exclude<ActionWish["action"], "flags"> {
  if (isMarking(verb)) throw new Error("flags are not moved");
  return verb;
}

function pieces(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / MOST) }, (_, nth) => ids.slice(nth * MOST, (nth + 1) * MOST));
}

/** What is shown until the gateway's answers include it. */
export function changeFor(cache: QueryClient, verb: Verb, target: Target, mailbox: Mailbox | null): Change {
  const change = shownAfter(cache, verb, target, mailbox);
  return { ...change, unread: recounted(countedIn(cache), target.threads.flatMap((id) => unreadAfter(cache, id, change))) };
}

/** Where a conversation counts as unread, before and after; of one that is not loaded that is not known. */
function unreadAfter(cache: QueryClient, id: string, { move, whole, messages, flags, rows }: Change): { before: Unread; after: Unread }[] {
  const row = loadedRow(cache, id);
  const thread = shownThread(cache, id);
  const before = thread === undefined ? row && unreadRow(row) : unreadIn(thread.messages);
  if (before === undefined) return [];
  if (move !== null && whole.includes(id)) return [{ before, after: moved(cache, before, move) }];
  if (thread !== undefined) {
    const after = thread.messages.map((message): Message => Object.assign({}, message, whole.includes(id) ? flags : messages[message.id]));
    return [{ before, after: unreadIn(after) }];
  }
  return row === undefined ? [] : [{ before, after: unreadRow({ ...row, ...rows[id] }) }];
}

/** The mailboxes, once what is in them has been moved. */
function moved(cache: QueryClient, before: ReadonlySet<string>, { from, to }: Move): ReadonlySet<string> {
  const accounts = countedIn(cache).map(({ mailboxes }) => mailboxes.map((one) => ({ id: one.id, place: one.special_use ?? one.id })));
  const after = new Set(before);
  for (const mailboxes of accounts) {
    const left = mailboxes.filter(({ id, place }) => before.has(id) && (from === null || place === from));
    for (const { id } of left) after.delete(id);
    const target = mailboxes.find(({ place }) => place === to);
    if (left.length > 0 && target !== undefined) after.add(target.id);
  }
  return after;
}

function shownAfter(cache: QueryClient, verb: Verb, target: Target, mailbox: Mailbox | null): Change {
  const base = { ...NO_CHANGE, id: crypto.randomUUID() };
  const single = target.messages;
  if (!isMarking(verb)) {
    const to = verb === "move" ? (mailbox?.special_use ?? mailbox?.id ?? null) : DESTINATIONS[verb];
    const move: Move = { from: origin(cache, verb, target), to };
    if (single === undefined) return { ...base, whole: target.threads, move };
    // Wherever it is, since it was chosen by itself.
    const from = verb === "not_junk" ? "junk" : null;
    return { ...base, messages: each(single, ({ mailbox_ids }) => ({ mailbox_ids: [...moved(cache, new Set(mailbox_ids), { from, to })] })), move };
  }
  const { flags } = MARKINGS[verb];
  if (single !== undefined) {
    const messages = each(single, () => flags);
    return { ...base, messages, rows: rowsAfter(cache, target.threads, messages) };
  }
  const rows = target.threads.flatMap((id) => loadedRow(cache, id) ?? []);
  return { ...base, whole: target.threads, flags, rows: Object.fromEntries(rows.map((row) => [row.id, rowFlags(row, flags)])) };
}

/** What is archived from where no one place is shown is taken out of the inbox. */
function origin(cache: QueryClient, verb: Verb, { view }: Target): string | null {
  const place = placeOf(view, cache.getQueryData<Account[]>(keys.accounts) ?? []);
  return verb === "archive" ? (place ?? "inbox") : place;
}

function rowFlags(row: ThreadSummary, { unread, starred }: Flags): RowFlags {
  return {
    ...(unread !== undefined && { unread_count: unread ? row.message_count : 0 }),
    ...(starred !== undefined && { starred }),
  };
}

/** What the rows of conversations say once some of their messages have changed. */
function rowsAfter(cache: QueryClient, threads: readonly string[], messages: Change["messages"]): Change["rows"] {
  return Object.fromEntries(
    threads.flatMap((id) => {
      const thread = shownThread(cache, id);
      if (thread === undefined) return [];
      const after = thread.messages.map((message): Flags => Object.assign({}, message, messages[message.id]));
      const flags: RowFlags = { unread_count: after.filter(({ unread }) => unread).length, starred: after.some(({ starred }) => starred === true) };
      return [[id, flags] as const];
    }),
  );
}

/** What takes a change back: everything as it is shown now. Made before the change is shown. */
export function inverseOf(cache: QueryClient, { messages, whole, rows, move, unread: numbers }: Change, target: Target): Change {
  const counted = countedIn(cache).flatMap(({ mailboxes }) => mailboxes.filter(({ id }) => numbers[id] !== undefined));
  const base = { ...NO_CHANGE, id: crypto.randomUUID(), unread: Object.fromEntries(counted.map(({ id, unread }) => [id, unread])) };
  const list = listKey(target.view);
  if (move !== null) return { ...base, back: { list, rows: whole.flatMap((id) => loadedRow(cache, id) ?? []) } };
  const before = target.threads.flatMap((id) => shownThread(cache, id)?.messages ?? []);
  const changed = before.filter((message) => whole.includes(message.thread_id) || messages[message.id] !== undefined);
  const old = Object.keys(rows).flatMap((id) => loadedRow(cache, id) ?? []);
  return {
    ...base,
    messages: each(changed, ({ unread, starred }) => ({ unread, starred })),
    rows: Object.fromEntries(old.map(({ id, unread_count, starred }) => [id, { unread_count, starred }])),
  };
}

function each(messages: readonly Message[], flags: (message: Message) => Flags): Record<string, Flags> {
  return Object.fromEntries(messages.map((message) => [message.id, flags(message)]));
}

function shownThread(cache: QueryClient, id: string): Thread | undefined {
  const found = cache.getQueriesData<Thread>({ queryKey: keys.thread(id) }).flatMap(([, thread]) => thread ?? []);
  const newest = found.toSorted((a, b) => b.position - a.position)[0];
  return newest && changedThread(newest, changesIn(cache));
}
