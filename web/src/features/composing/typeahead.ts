/** What is typed while a composer opens: kept in order, and typed into it once it hears. */
import { isField } from "@/ui/keyboard";

type Key = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey">;

const EDITING: ReadonlySet<string> = new Set(["Enter", "Backspace", "Tab"]);
const STOPS = "input, textarea, select, button, a[href], [role=textbox]";

export class TypeAhead {
  private keys: Key[] = [];
  private typing = false;

  /** From here on what is typed is meant for what opens. */
  begin(): void {
    this.keys = [];
    globalThis.addEventListener("keydown", this.keep, true);
  }

  /** It is there. What is typed until all of this is in it comes behind. */
  async end(): Promise<void> {
    for (let key = this.keys.shift(); key !== undefined; key = this.keys.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- what one key changes is shown before the next one is pressed
      await Promise.resolve();
      const field = focused();
      if (field === null) break;
      this.typing = true;
      press(key, field);
      this.typing = false;
    }
    this.stop();
  }

  /** Nothing opens any more: keys are the page's again. */
  stop(): void {
    this.keys = [];
    globalThis.removeEventListener("keydown", this.keep, true);
  }

  private readonly keep = (event: KeyboardEvent): void => {
    if (this.typing || event.isComposing || isElsewhere(event.target)) return;
    if (event.key === "Escape") this.stop();
    if (!isText(event) && !isEditing(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const { key, code, ctrlKey, metaKey, shiftKey } = event;
    // The key that opens it may be held a little long.
    if (!event.repeat || this.keys.at(-1)?.key === key) this.keys.push({ key, code, ctrlKey, metaKey, shiftKey });
  };
}

/** In a field of something else, where somebody has put the focus meanwhile. */
function isElsewhere(target: EventTarget | null): boolean {
  return isField(target) && !(target instanceof Element && target.closest("[data-composer]") !== null);
}

/** With AltGr, and on a Mac with Option, letters are typed too. */
function isText(event: KeyboardEvent): boolean {
  const written = event.getModifierState("AltGraph") || !(event.ctrlKey || event.metaKey || (event.altKey && event.key <= "~"));
  return written && /^.$/u.test(event.key);
}

/** Also Ctrl+Enter, which sends. */
function isEditing({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return EDITING.has(key) && !altKey && (key === "Enter" || !(ctrlKey || metaKey));
}

/** Where the composer has put the focus, else its text. */
function focused(): HTMLElement | null {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.closest("[data-composer]") !== null) return activeElement;
  const text = document.querySelector<HTMLElement>("[data-composer] :is([role=textbox], textarea)");
  text?.focus();
  return text;
}

/** As the browser would do it: first whoever listens, then the field. */
function press(key: Key, field: HTMLElement): void {
  if (!field.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }))) return;
  if (key.key === "Tab") step(field, key.shiftKey ? -1 : 1);
  else if (key.key === "Backspace") command("delete");
  else if (key.key !== "Enter") command("insertText", key.key);
  else if (field instanceof HTMLTextAreaElement) command("insertText", "\n");
  else if (!(field instanceof HTMLInputElement)) command("insertParagraph");
}

/** The one way of writing that fields take for typing: their listeners hear it, and it can be undone. */
function command(name: "delete" | "insertParagraph" | "insertText", text?: string): void {
  // oxlint-disable-next-line typescript/no-deprecated -- nothing has come in its place
  document.execCommand(name, false, text);
}

function step(from: HTMLElement, by: 1 | -1): void {
  const stops = [...(from.closest("[data-composer]")?.querySelectorAll<HTMLElement>(STOPS) ?? [])].filter((stop) => stop.tabIndex >= 0 && !stop.hidden);
  stops[stops.indexOf(from) + by]?.focus();
}
