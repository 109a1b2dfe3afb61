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

interface Cursor {
  /** Null while the row has not been loaded. */
  id: string | null;
  index: number;
}

export function useCursor({ rows, start, selected, list, show }: CursorOptions) {
  const [cursor, setCursor] = useState<Cursor>({ id: null, index: start });
  const [placed, setPlaced] = useState<string | null>(null);
  const wantsFocus = useRef(false);
  const { id } = cursor;
  const index = id === null ? cursor.index : cursor.index + shift({ id, index: cursor.index }, rows);

  const opened = selected === null ? undefined : rows.indexOf(selected);
  if (selected !== placed && (selected === null || opened !== undefined)) {
    setPlaced(selected);
    if (opened !== undefined) setCursor({ id: selected, index: opened });
  }

  const shownFor = useRef<string | null>(null);
  useEffect(() => {
    if (placed === shownFor.current) return;
    shownFor.current = placed;
    if (placed === null) wantsFocus.current = document.activeElement === document.body;
    else show(index);
  }, [placed, index, show]);

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const pointTo = (next: number) => setCursor({ id: rows.at(next)?.id ?? null, index: next });
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
