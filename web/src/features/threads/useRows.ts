/** A list of any length by pages: only those that are looked at are asked for. */
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";

import { PAGE, threadPage } from "@/api/queries";
import type { ThreadPage, ThreadSummary } from "@/api/schema";
import type { View } from "@/api/view";

export interface Rows {
  /** Undefined until the first page has come. */
  total: number | undefined;
  exact: boolean;
  failed: boolean;
  retry: () => void;
  at: (index: number) => ThreadSummary | undefined;
  /** Where a thread is now, if it is on a page that has been looked at. */
  indexOf: (id: string) => number | undefined;
}

/** `first` and `last` are the rows on screen; page 0 is always there, for the total. */
export function useRows(view: View, first: number, last: number): Rows {
  const numbers = useMemo(() => pagesFor(first, last), [first, last]);
  const combine = useCallback((results: UseQueryResult<ThreadPage>[]) => gather(numbers, results), [numbers]);
  return useQueries({ queries: numbers.map((number) => threadPage(view, number)), combine });
}

function pagesFor(first: number, last: number): number[] {
  const from = Math.floor(Math.max(first, 0) / PAGE);
  const to = Math.floor(Math.max(last, 0) / PAGE);
  const seen = Array.from({ length: to - from + 1 }, (_, step) => from + step);
  return from === 0 ? seen : [0, ...seen];
}

function gather(numbers: number[], results: UseQueryResult<ThreadPage>[]): Rows {
  const pages = new Map<number, ThreadPage>();
  const places = new Map<string, number>();
  let newest: UseQueryResult<ThreadPage> | undefined;
  for (const [nth, result] of results.entries()) {
    const number = numbers[nth] ?? 0;
    if (result.data === undefined) continue;
    pages.set(number, result.data);
    for (const [offset, thread] of result.data.threads.entries()) places.set(thread.id, number * PAGE + offset);
    if (newest === undefined || result.dataUpdatedAt > newest.dataUpdatedAt) newest = result;
  }
  return {
    total: newest?.data?.total,
    exact: newest?.data?.total_exact ?? true,
    failed: newest === undefined && results.some((result) => result.isError),
    retry: () => results.forEach((result) => void result.refetch()),
    at: (index) => pages.get(Math.floor(index / PAGE))?.threads[index % PAGE],
    indexOf: (id) => places.get(id),
  };
}
