/** Which conversations of a list are chosen. */
import { useCallback, useMemo, useState } from "react";

import type { Listing } from "@/api/listing";

export interface Selection {
  ids: ReadonlySet<string>;
  /** All that the list holds is meant, also what was never loaded. */
  everything: boolean;
  toggle: (index: number) => void;
  /** Everything from where the last one was chosen. */
  extend: (index: number) => void;
  choose: (ids: Iterable<string>) => void;
  chooseEverything: () => void;
  clear: () => void;
}

type Chosen = ReadonlySet<string>;

const NOTHING: Chosen = new Set();

export function useSelection(rows: Pick<Listing, "at" | "indexOf">): Selection {
  const [ids, setChosen] = useState(NOTHING);
  const [everything, setEverything] = useState(false);
  const [anchor, setAnchor] = useState<string | null>(null);
  const setIds = useCallback((next: Chosen | ((old: Chosen) => Chosen)) => {
    setEverything(false);
    setChosen(next);
  }, []);
  const clear = useCallback(() => setIds(NOTHING), [setIds]);
  return useMemo(() => {
    const toggle = (index: number) => {
      const id = rows.at(index)?.id;
      if (id === undefined) return;
      setAnchor(id);
      setIds((old) => (old.has(id) ? new Set([...old].filter((other) => other !== id)) : new Set([...old, id])));
    };
    return {
      ids,
      everything,
      toggle,
      extend: (index) => {
        const from = anchor === null ? undefined : rows.indexOf(anchor);
        if (from === undefined) {
          toggle(index);
          return;
        }
        const length = Math.abs(index - from) + 1;
        const between = Array.from({ length }, (_, step) => rows.at(Math.min(from, index) + step)?.id ?? []).flat();
        setIds((old) => new Set([...old, ...between]));
      },
      choose: (chosen) => setIds(new Set(chosen)),
      chooseEverything: () => setEverything(true),
      clear,
    };
  }, [anchor, clear, everything, ids, rows, setIds]);
}
