/** How a wide window is divided; kept in this browser, since it belongs to the screen and not to the person. */
import { useSyncExternalStore } from "react";

export type Panes = "split" | "flat";

const KEPT = "webmail.panes";
const listeners = new Set<() => void>();

export function usePanes(): Panes {
  return useSyncExternalStore(listen, read);
}

export function setPanes(panes: Panes): void {
  localStorage.setItem(KEPT, panes);
  for (const changed of listeners) changed();
}

function read(): Panes {
  return localStorage.getItem(KEPT) === "flat" ? "flat" : "split";
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}
