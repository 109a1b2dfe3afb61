/** Keeps the row under the reader's eyes where it is when others come or go above it. */
import { type RefObject, useLayoutEffect, useRef } from "react";

import type { Rows } from "./useRows";

interface Anchor {
  id: string;
  index: number;
}

/** At the very top nothing is held: there new mail is what one wants to see. */
export function useReadingPlace(scroller: RefObject<HTMLElement | null>, rows: Rows, height: number): void {
  const anchor = useRef<Anchor | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const moved = anchor.current === null ? 0 : shift(anchor.current, rows);
    if (moved !== 0 && element.scrollTop > 0) element.scrollTo({ top: element.scrollTop + moved * height });
    const index = Math.floor(element.scrollTop / height);
    const thread = rows.at(index);
    anchor.current = thread === undefined ? null : { id: thread.id, index };
  });
}

/** How many rows a thread has moved down since it was seen at an index. */
export function shift(anchor: Anchor, rows: Pick<Rows, "at" | "indexOf">): number {
  const now = rows.at(anchor.index);
  if (now === undefined || now.id === anchor.id) return 0;
  return (rows.indexOf(anchor.id) ?? anchor.index) - anchor.index;
}
