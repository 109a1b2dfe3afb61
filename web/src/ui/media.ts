/** Media queries as React values. */
import { useCallback, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  const watch = useCallback(
    (changed: () => void) => {
      const list = globalThis.matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => globalThis.matchMedia(query).matches);
}

/** One column: list or thread, never both. */
export function useNarrow(): boolean {
  return useMedia("(max-width: 1079.98px)");
}

/** So little room that a composer takes all of it. */
export function usePhone(): boolean {
  return useMedia("(max-width: 759.98px)");
}

export function useOnline(): boolean {
  return useSyncExternalStore(
    (changed) => {
      globalThis.addEventListener("online", changed);
      globalThis.addEventListener("offline", changed);
      return () => {
        globalThis.removeEventListener("online", changed);
        globalThis.removeEventListener("offline", changed);
      };
    },
    () => navigator.onLine,
  );
}
