/** Which messages are open. What was once open stays so until the reader closes it, whatever arrives meanwhile. */
import { useState } from "react";

import type { Message } from "@/api/schema";

import { opensByItself } from "./arrange";

export interface Open {
  has: (message: Message) => boolean;
  toggle: (message: Message) => void;
  all: boolean;
  toggleAll: () => void;
}

export function useOpen(messages: readonly Message[]): Open {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set());
  const [met, setMet] = useState<ReadonlySet<string>>(() => new Set());

  const fresh = opensByItself(messages).filter((id) => !met.has(id));
  if (fresh.length > 0) {
    setMet(new Set([...met, ...fresh]));
    setOpen(new Set([...open, ...fresh]));
  }

  const has = (message: Message) => message.unread || open.has(message.id);
  const all = messages.every(has);
  return {
    has,
    all,
    toggle: (message) => {
      if (!message.unread) setOpen(open.has(message.id) ? without(open, message.id) : new Set([...open, message.id]));
    },
    toggleAll: () => setOpen(new Set(all ? opensByItself(messages) : messages.map((message) => message.id))),
  };
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((other) => other !== id));
}
