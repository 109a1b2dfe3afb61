/** The list of conversations: any length, few rows in the page, a scrollbar that tells the truth. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ComponentType, type MouseEvent, useCallback, useEffect, useRef, useState } from "react";

import type { ActionsProps, Verb } from "@/api/acting";
import { placeOf } from "@/api/listing";
import { accounts as accountsQuery, thread as threadQuery } from "@/api/queries";
import type { Account } from "@/api/schema";
import { threadPath, type View } from "@/api/view";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";

import { ListState } from "./ListState";
import { keepPlace, placeIn } from "./places";
import { SelectionBar } from "./SelectionBar";
import { ThreadLine } from "./ThreadLine";
import { useChosen } from "./useChosen";
import { useCursor } from "./useCursor";
import { useReadingPlace } from "./useReadingPlace";
import { useRows } from "./useRows";
import { useSelection } from "./useSelection";

const TALL = 72;
const FLAT = 30;
const OVERSCAN = 4;
const BLANKS = 16;
const NO_ACCOUNTS: readonly Account[] = [];

export interface Opening {
  /** The reader means to be in the conversation, not in the list. */
  focus: boolean;
  /** Stepping through: the conversation takes the place of the one that is open. */
  replace: boolean;
}

interface ThreadListProps {
  view: View;
  flat: boolean;
  selected: string | null;
  onOpen: (thread: string, opening: Opening) => void;
  /** Something is about to be done with conversations. */
  onActing: (verb: Verb, threads: readonly string[]) => void;
  Actions: ComponentType<ActionsProps>;
}

/** Mount it anew for another view. */
export function ThreadList({ view, flat, selected, onOpen, onActing, Actions }: ThreadListProps) {
  const words = useWords();
  const height = flat ? FLAT : TALL;
  const [start] = useState(() => placeIn(view));
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState(() => ({ first: Math.floor(start.offset / height), last: Math.floor(start.offset / height) + 20 }));
  const rows = useRows(view, range.first, range.last);
  const { data: accounts = NO_ACCOUNTS } = useQuery(accountsQuery);
  // Until the first page has come, as many blank rows as fill the window, from where the reader was.
  const total = rows.total ?? Math.ceil(start.offset / height) + BLANKS;

  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    initialOffset: start.offset,
    onChange: (instance) => {
      const visible = instance.range;
      if (visible === null) return;
      setRange((old) => (old.first === visible.startIndex && old.last === visible.endIndex ? old : { first: visible.startIndex, last: visible.endIndex }));
    },
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  useReadingPlace(scroller, rows, height);

  const show = useCallback((index: number) => virtual.scrollToIndex(index), [virtual]);
  const cursor = useCursor({ rows, start: start.cursor, selected, list: scroller, show });
  const place = cursor.index;
  useEffect(() => keepPlace(view, { cursor: place }), [view, place]);
  usePrefetch(view, rows.at(place - 1)?.id, rows.at(place + 1)?.id, selected !== null);
  const selection = useSelection(rows);
  const chosen = useChosen({ view, selection, place: placeOf(view, accounts), onActing, total });

  const open = (index: number, opening: Opening) => {
    const thread = rows.at(index);
    if (thread !== undefined) onOpen(thread.id, opening);
  };
  const step = (by: 1 | -1) => () => {
    const next = Math.min(Math.max(place + by, 0), total - 1);
    cursor.moveTo(next);
    if (selected !== null) open(next, { focus: false, replace: true });
  };
  const reach = (by: 1 | -1) => () => {
    if (selection.ids.size === 0) selection.toggle(place);
    const next = Math.min(Math.max(place + by, 0), total - 1);
    cursor.moveTo(next);
    selection.extend(next);
  };
  const choose = (index: number, through: boolean) => {
    cursor.pointTo(index);
    if (through) selection.extend(index);
    else selection.toggle(index);
  };
  useKeys(
    {
      ...chosen.keys(rows.at(place), selected !== null),
      x: () => selection.toggle(place),
      J: reach(1),
      K: reach(-1),
      "* a": () => selection.choose(chosen.loaded()),
      ...(selection.ids.size > 0 && { Escape: selection.clear }),
      j: step(1),
      k: step(-1),
      ArrowDown: step(1),
      ArrowUp: step(-1),
      o: () => open(place, { focus: true, replace: selected !== null }),
      Enter: () => open(place, { focus: true, replace: selected !== null }),
    },
    "list",
  );

  const clicked = (index: number) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    if (event.shiftKey) {
      choose(index, true);
      return;
    }
    cursor.pointTo(index);
    open(index, { focus: event.detail === 0, replace: false });
  };

  return (
    <section data-keys="list" aria-label={words("list.label")} className="flex h-full min-h-0 flex-col bg-surface">
      <ListState view={view} rows={rows} accounts={accounts} named={selection.ids.size === 0} />
      {selection.ids.size > 0 && (
        <SelectionBar
          selection={selection}
          loaded={chosen.loaded()}
          total={total}
          exact={rows.exact}
          marks={chosen.marks()}
          ask={chosen.ask}
          Actions={Actions}
        />
      )}
      <div
        ref={scroller}
        role="grid"
        aria-multiselectable
        aria-label={words("list.label")}
        aria-rowcount={rows.total ?? -1}
        aria-busy={rows.total === undefined}
        className="scroll min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
        hidden={rows.total === 0 || rows.failed}
        onScroll={(event) => keepPlace(view, { offset: event.currentTarget.scrollTop })}
      >
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start: top }) => {
            const thread = rows.at(index);
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 1}
                aria-selected={thread !== undefined && selection.ids.has(thread.id)}
                data-index={index}
                className="absolute inset-x-0"
                style={{ height, transform: `translateY(${top}px)` }}
              >
                {thread === undefined ? (
                  <div role="gridcell" className="h-full">
                    <Blank />
                  </div>
                ) : (
                  <ThreadLine
                    thread={thread}
                    accounts={accounts}
                    href={threadPath(thread.id, view)}
                    flat={flat}
                    selected={thread.id === selected}
                    reachable={index === place}
                    onOpen={clicked(index)}
                    chosen={selection.ids.has(thread.id)}
                    choosing={selection.ids.size > 0}
                    place={chosen.place}
                    onChoose={(through) => choose(index, through)}
                    ask={(verb) => chosen.askOf(verb, [thread.id])}
                    Actions={Actions}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

/** The next conversation should be there before `j` is pressed. */
function usePrefetch(view: View, before: string | undefined, after: string | undefined, reading: boolean): void {
  const cache = useQueryClient();
  useEffect(() => {
    if (!reading) return;
    for (const id of [after, before]) if (id !== undefined) void cache.prefetchQuery(threadQuery(id, view));
  }, [cache, view, before, after, reading]);
}

function Blank() {
  return (
    <div className="flex h-full items-center gap-3 border-b border-line px-3.5">
      <span className="size-8 shrink-0 rounded-full bg-hover" />
      <span className="h-3 w-1/3 rounded-s bg-hover" />
    </div>
  );
}
