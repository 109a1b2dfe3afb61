/** A conversation opens at its newest message and stays there while bodies load, until the reader moves. */
import { type RefObject, useEffect } from "react";

import type { Order } from "@/api/schema";

const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

export function useStayAtNewest(list: RefObject<HTMLElement | null>, newest: string | undefined, order: Order, takeFocus: boolean): void {
  useEffect(() => {
    const element = list.current;
    const target = newest === undefined ? null : element?.querySelector<HTMLElement>(`[data-message="${CSS.escape(newest)}"]`);
    if (!element || !target) return;
    const single = element.children.length === 1;
    const align = () => {
      if (!single) target.scrollIntoView({ block: "start" });
    };
    const observer = new ResizeObserver(align);
    const stop = () => {
      observer.disconnect();
      for (const move of MOVES) globalThis.removeEventListener(move, stop, true);
    };
    align();
    if (takeFocus) target.focus({ preventScroll: true });
    observer.observe(element);
    for (const move of MOVES) globalThis.addEventListener(move, stop, { capture: true, passive: true });
    return stop;
    // Only opening a conversation or turning it round brings the reader to the newest; a new arrival must not.
    // oxlint-disable-next-line react/exhaustive-deps -- see above
  }, [list, order]);
}
