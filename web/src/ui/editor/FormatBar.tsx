/** The buttons that format what is chosen in a rich text field; their keys are the editor's own. */
import { Bold, Italic, Link as LinkIcon, List, ListOrdered, type LucideIcon, Quote, RemoveFormatting, Underline } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";

import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { type Key, useWords } from "@/ui/i18n";

import type { Squire } from "./squire";

interface Format {
  icon: LucideIcon;
  label: Key;
  hint?: string;
  is: (editor: Squire) => boolean;
  toggle: (editor: Squire, on: boolean) => void;
}

const MAC = /mac|iphone|ipad/iu.test(navigator.platform);
const ctrl = (key: string) => (MAC ? `⌘${key}` : `Ctrl+${key}`);

const FORMATS: Format[] = [
  { icon: Bold, label: "editor.bold", hint: ctrl("B"), is: has("B"), toggle: (editor, on) => void (on ? editor.bold() : editor.removeBold()) },
  { icon: Italic, label: "editor.italic", hint: ctrl("I"), is: has("I"), toggle: (editor, on) => void (on ? editor.italic() : editor.removeItalic()) },
  { icon: Underline, label: "editor.underline", hint: ctrl("U"), is: has("U"), toggle: (editor, on) => void (on ? editor.underline() : editor.removeUnderline()) },
  { icon: List, label: "editor.bullets", hint: ctrl("Shift+8"), is: within("UL"), toggle: (editor, on) => void (on ? editor.makeUnorderedList() : editor.removeList()) },
  { icon: ListOrdered, label: "editor.numbers", hint: ctrl("Shift+9"), is: within("OL"), toggle: (editor, on) => void (on ? editor.makeOrderedList() : editor.removeList()) },
  { icon: Quote, label: "editor.quote", hint: ctrl("]"), is: within("BLOCKQUOTE"), toggle: (editor, on) => void (on ? editor.increaseQuoteLevel() : editor.decreaseQuoteLevel()) },
];

function has(tag: string) {
  return (editor: Squire) => editor.hasFormat(tag);
}

function within(tag: string) {
  return (editor: Squire) => new RegExp(`(?:^|>)${tag}\\b`, "u").test(editor.getPath());
}

export function FormatBar({ editor }: { editor: Squire | null }) {
  const words = useWords();
  const [pressed, setPressed] = useState<readonly boolean[]>([]);
  const [linking, setLinking] = useState(false);
  const bar = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (editor === null) return;
    const look = () => setPressed([...FORMATS.map(({ is }) => is(editor)), editor.hasFormat("A")]);
    editor.addEventListener("pathChange", look);
    editor.addEventListener("cursor", look);
    editor.addEventListener("input", look);
    editor.setKeyHandler(MAC ? "Meta-k" : "Ctrl-k", (_editor, event) => {
      event.preventDefault();
      setLinking(true);
    });
    return () => {
      editor.removeEventListener("pathChange", look);
      editor.removeEventListener("cursor", look);
      editor.removeEventListener("input", look);
    };
  }, [editor]);

  const done = () => {
    setLinking(false);
    editor?.focus();
  };
  if (linking && editor !== null) return <LinkField editor={editor} onDone={done} />;

  const linked = pressed[FORMATS.length] === true;
  return (
    <div ref={bar} role="toolbar" tabIndex={-1} aria-label={words("editor.toolbar")} onKeyDown={(event) => rove(event, bar.current)} className="flex min-w-0 flex-wrap items-center gap-0.5 max-md:flex-nowrap max-md:justify-between">
      {FORMATS.map(({ icon, label, hint, toggle }, index) => (
        <Toggle
          key={label}
          icon={icon}
          label={words(label)}
          hint={hint}
          first={index === 0}
          pressed={pressed[index] === true}
          onClick={() => {
            if (editor === null) return;
            toggle(editor, pressed[index] !== true);
            editor.focus();
          }}
        />
      ))}
      <Toggle
        icon={LinkIcon}
        label={words("editor.link")}
        hint={ctrl("K")}
        pressed={linked}
        onClick={() => {
          if (linked) editor?.removeLink().focus();
          else setLinking(true);
        }}
      />
      <Toggle icon={RemoveFormatting} label={words("editor.clear")} onClick={() => editor?.removeAllFormatting().focus()} />
    </div>
  );
}

interface ToggleProps {
  icon: LucideIcon;
  label: string;
  hint?: string | undefined;
  pressed?: boolean;
  first?: boolean;
  onClick: () => void;
}

function Toggle({ icon: Icon, label, hint, pressed, first = false, onClick }: ToggleProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={hint === undefined ? label : `${label} (${hint})`}
      aria-pressed={pressed}
      tabIndex={first ? 0 : -1}
      // The field keeps its selection, and on a phone its keyboard.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onClick}
      className={classes(
        "target inline-flex size-8 items-center justify-center rounded-m transition-colors",
        pressed === true ? "bg-selected text-text" : "text-text2 hover:bg-hover hover:text-text",
      )}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
    </button>
  );
}

/** One stop for Tab; arrows go on from there. */
function rove(event: KeyboardEvent, bar: HTMLElement | null): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined || bar === null) return;
  const buttons = [...bar.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  event.preventDefault();
  buttons[(at + by + buttons.length) % buttons.length]?.focus();
}

function LinkField({ editor, onDone }: { editor: Squire; onDone: () => void }) {
  const words = useWords();
  const [address, setAddress] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const link = linkOf(address);
    onDone();
    if (link !== null) editor.makeLink(link);
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-1 items-center gap-2">
      <input
        autoFocus
        type="text"
        inputMode="url"
        aria-label={words("editor.link_address")}
        placeholder="https://"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone();
        }}
        className="h-8 min-w-0 flex-1 rounded-m border border-input bg-surface px-2 text-13 max-md:h-11 max-md:text-16"
      />
      <Button type="submit" className="h-8">
        {words("editor.link_set")}
      </Button>
    </form>
  );
}

/** What somebody types as an address: a link, a mail address, or a name without a scheme. */
export function linkOf(typed: string): string | null {
  const text = typed.trim();
  if (text === "" || /\s/u.test(text)) return null;
  if (/^(?:https?|mailto|tel):/iu.test(text)) return text;
  if (/^[a-z][\w+.-]*:(?!\d)/iu.test(text)) return null;
  return /^[^/@]+@[^/@]+$/u.test(text) ? `mailto:${text}` : `https://${text}`;
}
