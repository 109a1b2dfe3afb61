/** The order of a conversation, and which of its messages are open by themselves (§9.4). */
import type { DraftSummary, Message, Order, Thread } from "@/api/schema";

/** `messages` are oldest first, always. This is the only place that knows the order. */
export function arrange(messages: readonly Message[], order: Order): readonly Message[] {
  return order === "asc" ? messages : messages.toReversed();
}

/** What is answered: a draft is not in a conversation yet, unless it is all there is. */
export function newestOf(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ draft }) => !draft) ?? messages.at(-1);
}

/** Drafts that can be gone on with stand at the composer's place. */
export function withoutDrafts(thread: Thread, drafts: readonly DraftSummary[]): Thread {
  const known = new Set(drafts.map(({ message_id }) => message_id));
  const messages = thread.messages.filter(({ id, draft }) => !(draft && known.has(id)));
  return messages.length === 0 || messages.length === thread.messages.length ? thread : { ...thread, messages };
}

/** The newest and every unread one: what a reader has not seen is never hidden. */
export function opensByItself(messages: readonly Message[]): string[] {
  const newest = newestOf(messages);
  return messages.filter((message) => message.unread || message === newest).map((message) => message.id);
}
