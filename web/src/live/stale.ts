/** What each event makes stale. The socket never carries data into the cache. */
import type { QueryKey } from "@tanstack/react-query";

import { keys } from "@/api/keys";
import type { Frame } from "./frames";

export function staleAfter({ event, payload }: Frame): readonly QueryKey[] {
  switch (event) {
    case "message.new":
      // Perhaps the server's copy of a draft.
      return [keys.threads, keys.thread(payload.thread_id), keys.accounts, keys.history, keys.drafts];
    case "thread.updated":
      return [keys.threads, keys.thread(payload.thread_id), keys.accounts, keys.history];
    case "message.changed":
      // Perhaps a draft's copy that another program put in Trash.
      return [keys.threads, keys.thread(payload.thread_id), keys.message(payload.message_id), keys.history, keys.drafts];
    case "message.deleted":
      return [keys.threads, keys.thread(payload.thread_id), keys.message(payload.message_id), keys.accounts, keys.history, keys.drafts];
    case "flags.changed":
      return [keys.threads, keys.accounts, keys.history, ...payload.thread_ids.map(keys.thread), ...payload.message_ids.map(keys.message)];
    case "sync.progress":
      return [keys.accounts];
    case "account.state_changed":
      // A removed one takes its drafts along.
      return [keys.accounts, keys.drafts];
    case "draft.saved":
      return [keys.drafts, keys.draft(payload.draft_id)];
    case "outbox.state_changed":
    case "message.sent":
      return [keys.sends, keys.drafts];
    case "pong":
      return [];
  }
}

/** Whether what is kept under a key is stale. */
export type IsStale = (key: QueryKey) => boolean;

/** Collects what is stale and tells of all of it at once: soon after the first, then at most twice a second in a burst. */
export class Staleness {
  private waiting = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private told = Number.NEGATIVE_INFINITY;

  constructor(private readonly tell: (isStale: IsStale) => void) {}

  add(stale: readonly QueryKey[]): void {
    for (const key of stale) this.waiting.add(nameOf(key));
    if (this.waiting.size === 0 || this.timer !== null) return;
    const wait = Math.max(SOON, this.told + BURST - performance.now());
    this.timer = setTimeout(() => this.flush(), wait);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.waiting.clear();
  }

  private flush(): void {
    this.timer = null;
    this.told = performance.now();
    const due = this.waiting;
    this.waiting = new Set();
    this.tell((key) => due.has(nameOf(key.slice(0, 1))) || due.has(nameOf(key.slice(0, 2))));
  }
}

/** The names in `keys` have one or two parts. */
function nameOf(key: QueryKey): string {
  return JSON.stringify(key);
}

const SOON = 50;
const BURST = 500;
