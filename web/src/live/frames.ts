/** The socket's frames, validated; the events are those of §8.3. */
import * as z from "zod/mini";

const id = z.string().check(z.minLength(1));
const ids = z.array(id);

const payloads = {
  "message.new": z.object({ account_id: id, mailbox_id: id, message_id: id, thread_id: id }),
  "message.changed": z.object({ message_id: id, thread_id: id }),
  "message.deleted": z.object({ message_id: id, thread_id: id }),
  "flags.changed": z.object({ message_ids: ids, thread_ids: ids }),
  "thread.updated": z.object({ thread_id: id }),
  "sync.progress": z.object({ account_id: id, synced: z.number(), total: z.number() }),
  "account.state_changed": z.object({ account_id: id, state: z.string() }),
  pong: z.object({}),
} as const;

type Payloads = { [E in keyof typeof payloads]: z.infer<(typeof payloads)[E]> };

export type EventName = keyof Payloads;
export type Frame = { [E in EventName]: { event: E; payload: Payloads[E] } }[EventName];
export type PayloadOf<E extends EventName> = Payloads[E];

const envelope = z.object({ event: z.string(), payload: z.unknown() });

/** Null for what is no frame, or an event this version does not know. */
export function readFrame(data: unknown): Frame | null {
  const outer = envelope.safeParse(parse(data));
  if (!outer.success || !isKnown(outer.data.event)) return null;
  const inner = payloads[outer.data.event].safeParse(outer.data.payload);
  return inner.success ? ({ event: outer.data.event, payload: inner.data } as Frame) : null;
}

function isKnown(event: string): event is EventName {
  return Object.hasOwn(payloads, event);
}

function parse(data: unknown): unknown {
  if (typeof data !== "string") return null;
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return null;
  }
}
