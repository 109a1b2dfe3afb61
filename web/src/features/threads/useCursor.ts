/** Which row the keyboard is on. It belongs to a conversation, so it moves with it when the list changes. */
import { type RefObject, useEffect, useRef, useState } from "react";

import { shift } from "./useReadingPlace";
import type { Rows } from "./useRows";

interface CursorOptions {
  rows: Rows;
  start: number;
  selected: string | null;
  list: RefObject<HTMLElement | null>;
  /** Scrolls a row into view. */
  show: (index: number) => void;
}

export function useCursor({ rows, start, selected, list, show }: CursorOptions) {
  const [index, setIndex] = useState(start);
  const held = useRef<string | null>(null);
  const wantsFocus = useRef(false);
  const placed = useRef<string | null>(null);

  useEffect(() => {
    const moved = held.current === null ? 0 : shift({ id: held.current, index }, rows);
    if (moved !== 0) {
      setIndex(index + moved);
      return;
    }
    held.current = rows.at(index)?.id ?? null;
  }, [rows, index]);

  useEffect(() => {
    if (selected === placed.current) return;
    if (selected === null) {
      placed.current = null;
      wantsFocus.current = document.activeElement === document.body;
      return;
    }
    const at = rows.indexOf(selected);
    if (at === undefined) return;
    placed.current = selected;
    held.current = selected;
    setIndex(at);
    show(at);
  }, [rows, selected, show]);

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const pointTo = (next: number) => {
    held.current = rows.at(next)?.id ?? null;
    setIndex(next);
  };

  return {
    index,
    /** By the mouse: the row is on screen and focused already. */
    pointTo,
    /** By the keyboard: scrolled to, then focused. */
    moveTo: (next: number) => {
      if (next < 0) return;
      pointTo(next);
      show(next);
      wantsFocus.current = true;
    },
  };
}
