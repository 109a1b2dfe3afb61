/** What each event makes stale. The socket never carries data into the cache. */
import type { QueryKey } from "@tanstack/react-query";

import { keys } from "@/api/keys";
import type { EventName, Frame, PayloadOf } from "./frames";

type Rules = { [E in EventName]: (payload: PayloadOf<E>) => readonly QueryKey[] };

const rules: Rules = {
  "message.new": (p) => [keys.threads, keys.thread(p.thread_id), keys.accounts],
  "message.changed": (p) => [keys.threads, keys.thread(p.thread_id), keys.message(p.message_id)],
  "message.deleted": (p) => [keys.threads, keys.thread(p.thread_id), keys.message(p.message_id), keys.accounts],
  "flags.changed": (p) => [keys.threads, keys.accounts, ...p.thread_ids.map(keys.thread), ...p.message_ids.map(keys.message)],
  "thread.updated": (p) => [keys.threads, keys.thread(p.thread_id), keys.accounts],
  "sync.progress": () => [keys.accounts],
  "account.state_changed": () => [keys.accounts],
  pong: () => [],
};

export function staleAfter(frame: Frame): readonly QueryKey[] {
  return (rules[frame.event] as (payload: Frame["payload"]) => readonly QueryKey[])(frame.payload);
}

/** Collects stale keys and tells of each once: soon after the first, then at most once a second during a burst. */
export class Staleness {
  private readonly waiting = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private told = Number.NEGATIVE_INFINITY;

  constructor(private readonly tell: (key: QueryKey) => void) {}

  add(stale: readonly QueryKey[]): void {
    for (const key of stale) this.waiting.set(JSON.stringify(key), key);
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
    const due = [...this.waiting.values()];
    this.waiting.clear();
    for (const key of due) this.tell(key);
  }
}

const SOON = 50;
const BURST = 1000;
