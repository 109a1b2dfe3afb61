/** The order of a conversation, and which of its messages are open by themselves (§9.4). */
import type { Message, Order } from "@/api/schema";

/** `messages` are oldest first, always. This is the only place that knows the order. */
export function arrange(messages: readonly Message[], order: Order): readonly Message[] {
  return order === "asc" ? messages : messages.toReversed();
}

export function newestOf(messages: readonly Message[]): Message | undefined {
  return messages.at(-1);
}

/** The newest and every unread one: what a reader has not seen is never hidden. */
export function opensByItself(messages: readonly Message[]): string[] {
  const newest = newestOf(messages);
  return messages.filter((message) => message.unread || message === newest).map((message) => message.id);
}
