/** Acting on rows: those that are chosen, else the one that the keyboard is on. */
import { useQueryClient } from "@tanstack/react-query";

import { actionKeys, isMarking, type Marks, reading, useAct, type Verb } from "@/api/acting";
import { loadedRows } from "@/api/listing";
import type { ThreadSummary } from "@/api/schema";
import type { View } from "@/api/view";
import type { Bindings } from "@/ui/keyboard";

import type { Selection } from "./useSelection";

interface ChosenOptions {
  view: View;
  selection: Selection;
  place: string | null;
  onActing: (verb: Verb, threads: readonly string[]) => void;
  /** Conversations in the list. */
  total: number;
}

export function useChosen({ view, selection, place, onActing, total }: ChosenOptions) {
  const cache = useQueryClient();
  const act = useAct();
  const askOf = (verb: Verb, threads: readonly string[], everything?: number) => {
    act(verb, {
      view,
      threads,
      everything,
      onActing: () => {
        if (!isMarking(verb) || everything !== undefined) selection.clear();
        onActing(verb, threads);
      },
    });
  };
  const marksOf = (rows: readonly ThreadSummary[]): Marks => ({
    starred: rows.every(({ starred }) => starred),
    unread: rows.some(({ unread_count }) => unread_count > 0),
    place,
  });
  const loaded = () => loadedRows(cache, view);
  const chosen = () => loaded().filter(({ id }) => selection.ids.has(id));
  const askChosen = (verb: Verb) => askOf(verb, [...selection.ids], selection.everything ? total : undefined);
  return {
    place,
    askOf,
    ask: askChosen,
    loaded: () => loaded().map(({ id }) => id),
    marks: () => marksOf(chosen()),
    /** With a conversation open, `u` leaves it; that is the conversation's own key. */
    keys: (row: ThreadSummary | undefined, open: boolean): Bindings => {
      const some = selection.ids.size > 0;
      const single = row === undefined ? [] : [row];
      const marks = () => marksOf(some ? chosen() : single);
      const ask = (verb: Verb) => (some ? askChosen(verb) : askOf(verb, single.map(({ id }) => id)));
      return { ...actionKeys(marks, ask), ...((some || !open) && { u: () => ask(reading(marks())) }) };
    },
  };
}
