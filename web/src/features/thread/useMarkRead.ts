/** What has been seen is marked read: together what is seen together, and no message twice, so that the reader's own mark stays. */
import { useEffect, useRef } from "react";

import { useAct } from "@/api/acting";
import type { Message } from "@/api/schema";
import type { View } from "@/api/view";

const TOGETHER = 50;

export function useMarkRead(thread: string, view: View) {
  const act = useAct();
  const met = useRef(new Set<string>());
  const waiting = useRef<Message[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const mark = useRef(() => undefined as void);
  useEffect(() => {
    mark.current = () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      const messages = waiting.current.splice(0);
      if (messages.length > 0) act("read", { view, threads: [thread], messages, quiet: true });
    };
  });
  // Whoever leaves has read what they saw.
  useEffect(() => () => mark.current(), []);
  return (message: Message) => {
    if (met.current.has(message.id)) return;
    met.current.add(message.id);
    waiting.current.push(message);
    timer.current ??= setTimeout(() => mark.current(), TOGETHER);
  };
}
