/** Single-key shortcuts: which region hears them, and when they must keep silent. */
import { useEffect, useRef } from "react";

/** A region of the page is marked with `data-keys`; its bindings hear a key only while it has the focus. In one marked `none` nothing is heard. */
export type Region = "list" | "thread";

/** A key ("j", "Enter") or two in a row ("g i"). */
export type Bindings = Readonly<Record<string, () => void>>;

const SEQUENCE = 1000;
const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable]:not([contenteditable='false']), [role=textbox], [data-keys=none]";
/** Something is over the page, or just opening: what is typed is meant for that. */
const OVERLAYS = "[role=dialog], [role=menu], [role=alertdialog], [data-opening]";

export function useKeys(bindings: Bindings, region?: Region): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    let first: { key: string; at: number } | null = null;
    const listen = (event: KeyboardEvent) => {
      if (!mayFire(event) || (region !== undefined && regionInFocus() !== region)) return;
      const fresh = first !== null && event.timeStamp - first.at < SEQUENCE;
      const pair = fresh && first !== null ? `${first.key} ${event.key}` : "";
      first = { key: event.key, at: event.timeStamp };
      const action = latest.current[pair] ?? latest.current[event.key];
      if (action === undefined || activates(event)) return;
      event.preventDefault();
      first = null;
      action();
    };
    globalThis.addEventListener("keydown", listen);
    return () => globalThis.removeEventListener("keydown", listen);
  }, [region]);
}

/** Without a focus the first region of the page is meant: the list, or the thread where there is only that. */
function regionInFocus(): string | undefined {
  const element = document.activeElement?.closest("[data-keys]") ?? document.querySelector("[data-keys]");
  return element instanceof HTMLElement ? element.dataset["keys"] : undefined;
}

function mayFire(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector(OVERLAYS) !== null) return false;
  return !isField(event.target);
}

/** What is typed there is its own. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** Enter on a button or link is that control's own. */
function activates(event: KeyboardEvent): boolean {
  return event.key === "Enter" && event.target instanceof Element && event.target.closest("button, a[href], summary") !== null;
}

/** A frame's keys don't reach the page by themselves: its document is listened to, and each key is told again here. */
export function forwardKeys(from: Document): () => void {
  const told = (event: KeyboardEvent) => tellAgain(event, from.activeElement);
  from.addEventListener("keydown", told);
  return () => from.removeEventListener("keydown", told);
}

function tellAgain(event: KeyboardEvent, active: Element | null): void {
  if (event.key === "Enter" && active !== null && active.closest("a, summary") !== null) return;
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  const again = new KeyboardEvent("keydown", { key, code, ctrlKey, metaKey, altKey, shiftKey, cancelable: true });
  if (!globalThis.dispatchEvent(again)) event.preventDefault();
}
