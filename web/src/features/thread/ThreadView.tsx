/** A conversation: its messages in the reader's order, the composer's place beside the newest one. */
import { type ComponentType, useRef } from "react";

import type { Verb } from "@/api/acting";
import type { Message, Order } from "@/api/schema";
import { useKeys } from "@/ui/keyboard";

import { arrange, newestOf } from "./arrange";
import { ComposerAnchor } from "./ComposerAnchor";
import { MessageItem } from "./MessageItem";
import type { Open } from "./useOpen";
import { useFocusOnNewest, useStayAtNewest } from "./useStayAtNewest";

export interface MenuProps {
  message: Message;
  /** The one place that the list shows which its conversation was opened from. */
  place: string | null;
  ask: (verb: Verb, message: Message) => void;
}

interface ThreadViewProps extends Pick<MenuProps, "place" | "ask"> {
  /** Oldest first, always. */
  messages: readonly Message[];
  order: Order;
  open: Open;
  /** The reader came here to read: the newest message takes the focus. */
  takeFocus: boolean;
  /** An unread message has been in view. */
  onSeen: (message: Message) => void;
  MessageMenu: ComponentType<MenuProps>;
  Composer?: ComponentType<ComposerProps>;
}

export interface ComposerProps {
  /** The newest one. */
  message: Message;
}

export function ThreadView({ messages, order, open, takeFocus, onSeen, place, ask, MessageMenu, Composer }: ThreadViewProps) {
  const list = useRef<HTMLOListElement>(null);
  const newest = newestOf(messages);
  useStayAtNewest(list, newest?.id, order);
  useFocusOnNewest(list, newest?.id, takeFocus);

  const step = (by: 1 | -1) => () => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[data-message]") ?? [])];
    const current = items.findIndex((item) => item.contains(document.activeElement));
    const next = items[current === -1 ? 0 : Math.min(Math.max(current + by, 0), items.length - 1)];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  };
  const toggle = () => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-message]")?.dataset["message"];
    const message = messages.find((one) => one.id === focused);
    if (message !== undefined) open.toggle(message);
  };
  useKeys({ j: step(1), k: step(-1), o: toggle, Enter: toggle }, "thread");

  return (
    <ol ref={list} className="flex flex-col gap-2">
      {arrange(messages, order).map((message) => (
        <li key={message.id}>
          <MessageItem
            message={message}
            open={open.has(message)}
            alone={messages.length === 1}
            onToggle={() => open.toggle(message)}
            onSeen={onSeen}
            menu={<MessageMenu message={message} place={place} ask={ask} />}
          />
          {message === newest && <ComposerAnchor>{Composer && <Composer message={message} />}</ComposerAnchor>}
        </li>
      ))}
    </ol>
  );
}
