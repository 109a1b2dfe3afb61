/** The socket's frames, validated; the events are those of §8.3. */
import * as z from "zod/mini";

const id = z.string().check(z.minLength(1));
const ids = z.array(id);
const event = <Name extends string, Shape extends z.core.$ZodShape>(name: Name, payload: Shape) =>
  z.object({ event: z.literal(name), payload: z.object(payload) });

const frame = z.discriminatedUnion("event", [
  event("message.new", { account_id: id, mailbox_id: id, message_id: id, thread_id: id }),
  event("message.changed", { message_id: id, thread_id: id }),
  event("message.deleted", { message_id: id, thread_id: id }),
  event("flags.changed", { message_ids: ids, thread_ids: ids }),
  event("thread.updated", { thread_id: id }),
  event("sync.progress", { account_id: id, synced: z.number(), total: z.number() }),
  event("account.state_changed", { account_id: id, state: z.string() }),
  event("draft.saved", { draft_id: id, revision: z.number() }),
  event("outbox.state_changed", { account_id: id, outbox_id: id, state: z.string() }),
  event("message.sent", { account_id: id, outbox_id: id }),
  event("pong", {}),
]);

export type Frame = z.infer<typeof frame>;

/** Null for what is no frame, or an event this version does not know. */
export function readFrame(data: unknown): Frame | null {
  const read = frame.safeParse(parse(data));
  return read.success ? read.data : null;
}

function parse(data: unknown): unknown {
  if (typeof data !== "string") return null;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
