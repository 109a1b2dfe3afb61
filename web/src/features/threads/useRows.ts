/** A list of any length by pages: only those that are looked at are asked for. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";

import { type Change, useChanges } from "@/api/changes";
import { type Listing, listing, PAGE, type Which, whichList } from "@/api/listing";
import { accounts as accountsQuery, threadPage } from "@/api/queries";
import type { Account, ThreadPage } from "@/api/schema";
import type { View } from "@/api/view";

export interface Rows extends Pick<Listing, "at" | "indexOf"> {
  /** Undefined until the first page has come. */
  total: number | undefined;
  exact: boolean;
  failed: boolean;
  retry: () => void;
}

const NO_ACCOUNTS: readonly Account[] = [];

/** `first` and `last` are the rows on screen; page 0 is always there, for the total. */
export function useRows(view: View, first: number, last: number): Rows {
  const changes = useChanges();
  const { data: accounts = NO_ACCOUNTS } = useQuery(accountsQuery);
  const numbers = useMemo(() => pagesFor(first, last), [first, last]);
  const { key, place } = whichList(view, accounts);
  const combine = useCallback(
    (results: UseQueryResult<ThreadPage>[]) => gather(numbers, results, changes, { key, place }),
    [numbers, changes, key, place],
  );
  return useQueries({ queries: numbers.map((number) => threadPage(view, number)), combine });
}

function pagesFor(first: number, last: number): number[] {
  const from = Math.floor(Math.max(first, 0) / PAGE);
  const to = Math.floor(Math.max(last, 0) / PAGE);
  const seen = Array.from({ length: to - from + 1 }, (_, step) => from + step);
  return from === 0 ? seen : [0, ...seen];
}

function gather(numbers: number[], results: UseQueryResult<ThreadPage>[], changes: readonly Change[], which: Which): Rows {
  const pages = new Map<number, ThreadPage>();
  let newest: UseQueryResult<ThreadPage> | undefined;
  for (const [nth, result] of results.entries()) {
    if (result.data === undefined) continue;
    pages.set(numbers[nth] ?? 0, result.data);
    if (newest === undefined || result.dataUpdatedAt > newest.dataUpdatedAt) newest = result;
  }
  const { at, indexOf, extra } = listing(pages, changes, which);
  return {
    total: newest?.data === undefined ? undefined : Math.max(0, newest.data.total + extra),
    exact: newest?.data?.total_exact ?? true,
    failed: newest === undefined && results.some((result) => result.isError),
    retry: () => results.forEach((result) => void result.refetch()),
    at,
    indexOf,
  };
}
