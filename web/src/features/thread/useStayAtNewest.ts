/** A conversation opens at its newest message and stays there while bodies load, until the reader moves. */
import { type RefObject, useEffect } from "react";

import type { Order } from "@/api/schema";

const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

export function useStayAtNewest(list: RefObject<HTMLElement | null>, newest: string | undefined, order: Order): void {
  useEffect(() => {
    const element = list.current;
    const target = newest === undefined ? null : itemOf(element, newest);
    if (!element || !target) return;
    // Where the newest stands first, the subject above it belongs to the view.
    const atTop = element.firstElementChild?.contains(target) === true;
    const align = () => (atTop ? element.closest("[data-scroll]")?.scrollTo({ top: 0 }) : target.scrollIntoView({ block: "start" }));
    const observer = new ResizeObserver(align);
    const stop = () => {
      observer.disconnect();
      for (const move of MOVES) globalThis.removeEventListener(move, stop, true);
    };
    align();
    observer.observe(element);
    for (const move of MOVES) globalThis.addEventListener(move, stop, { capture: true, passive: true });
    return stop;
    // Only opening a conversation or turning it round brings the reader to the newest; a new arrival must not.
    // oxlint-disable-next-line react/exhaustive-deps -- see above
  }, [list, order]);
}

/** A reader who came here to read finds the focus on the newest message. */
export function useFocusOnNewest(list: RefObject<HTMLElement | null>, newest: string | undefined, wanted: boolean): void {
  useEffect(() => {
    if (wanted && newest !== undefined) itemOf(list.current, newest)?.focus({ preventScroll: true });
    // oxlint-disable-next-line react/exhaustive-deps -- a new arrival must not take the focus
  }, [list, wanted]);
}

function itemOf(list: HTMLElement | null, message: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-message="${CSS.escape(message)}"]`) ?? null;
}
