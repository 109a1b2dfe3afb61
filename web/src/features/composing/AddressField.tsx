/** People as chips, and a field that suggests more of them while somebody types. */
import { useQuery } from "@tanstack/react-query";
import { type LucideIcon, X } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type Ref, useId, useState } from "react";

import { suggestions } from "@/api/drafts";
import type { Addr } from "@/api/schema";
import { useAnnounce } from "@/ui/Announcer";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

import { isSame, isSendable, joined, readPeople } from "./people";

interface AddressFieldProps {
  label: string;
  people: readonly Addr[];
  onChange: (people: Addr[]) => void;
  autoFocus?: boolean;
  field?: Ref<HTMLInputElement>;
  icon?: LucideIcon;
  /** At the end of the line. */
  children?: ReactNode;
}

const MOST = 8;

export function AddressField({ label, people, onChange, autoFocus = false, field, icon: Icon, children }: AddressFieldProps) {
  const words = useWords();
  const announce = useAnnounce();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [marked, setMarked] = useState(0);
  const [closed, setClosed] = useState(false);
  const q = typed.trim();
  const { data = [] } = useQuery(suggestions(q));
  // What was found for fewer letters serves until the answer for these is there.
  const found = q === "" || closed ? [] : data.filter((one) => matches(one, q) && !people.some((other) => isSame(one, other))).slice(0, MOST);
  const at = Math.min(marked, found.length - 1);
  const chosen = found[at];

  const add = (more: readonly Addr[]) => {
    setTyped("");
    setMarked(0);
    setClosed(false);
    if (more.length > 0) onChange(joined(people, more));
  };
  const take = (index: number) => {
    onChange(people.filter((_, other) => other !== index));
    announce(words("compose.removed", { who: nameOf(people[index]) }));
  };
  /** An address that was typed whole is meant as it is. */
  const settle = (): boolean => {
    if (chosen !== undefined && !isSendable({ name: "", email: q })) add([chosen]);
    else if (q !== "") add(readPeople(typed));
    else return false;
    return true;
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setMarked((at + step + found.length) % found.length);
    else if (event.key === "Enter" || event.key === "," || event.key === ";") settle();
    else if (event.key === "Tab" && !event.shiftKey) {
      if (!settle()) return;
    } else if (event.key === "Escape" && found.length > 0) setClosed(true);
    else if (event.key === "Backspace" && typed === "" && people.length > 0) take(people.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text/plain");
    const list = readPeople(text);
    if (list.length < 2 && !list.some(isSendable)) return;
    event.preventDefault();
    add(list);
  };

  return (
    <div className="relative flex items-start gap-2 border-b border-line px-4 py-1.5 max-md:px-3">
      <label htmlFor={id} className="flex w-10 shrink-0 items-center gap-2 pt-1 text-13 text-text3 pointer-coarse:pt-3">
        {Icon !== undefined && <Icon size={15} strokeWidth={1.75} aria-hidden />}
        {label}
      </label>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
        {people.map((one, index) => (
          <Chip key={`${one.email} ${one.name}`} person={one} onRemove={() => take(index)} />
        ))}
        <input
          ref={field}
          id={id}
          type="text"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          // The one purpose of opening a composer without recipients is to name them.
          autoFocus={autoFocus}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen === undefined ? undefined : `${id}-${at}`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setMarked(0);
            setClosed(false);
          }}
          onKeyDown={press}
          onPaste={paste}
          onBlur={() => {
            if (q !== "") add(readPeople(typed));
          }}
          className="h-7 min-w-24 flex-1 bg-transparent text-14 outline-none pointer-coarse:h-11 max-md:text-16"
        />
      </div>
      {children}
      <ul
        id={`${id}-list`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the pattern for a combobox (ARIA APG)
        role="listbox"
        aria-label={label}
        className={classes(
          "absolute top-full left-14 z-20 max-w-[calc(100%-4rem)] min-w-64 rounded-l border border-line bg-raised p-1 shadow-[0_8px_24px_rgb(0_0_0/0.12)]",
          found.length === 0 && "hidden",
        )}
      >
        {found.map((one, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- its keys are the field's
          <li
            key={one.email}
            id={`${id}-${index}`}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- the same
            role="option"
            aria-selected={index === at}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => add([one])}
            className={classes("target flex cursor-pointer flex-col justify-center rounded-m px-2.5 py-1", index === at && "bg-selected")}
          >
            <span className="block truncate text-13">{one.name || one.email}</span>
            {one.name !== "" && <span className="block truncate text-12 text-text2">{one.email}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Chip({ person, onRemove }: { person: Addr; onRemove: () => void }) {
  const words = useWords();
  const good = isSendable(person);
  return (
    <span
      title={person.email}
      className={classes(
        "inline-flex h-7 max-w-full items-center rounded-s pl-2 text-13 pointer-coarse:h-11",
        good ? "bg-selected" : "bg-warnbg text-danger",
      )}
    >
      <span className="truncate">{nameOf(person)}</span>
      {!good && <span className="sr-only">{words("compose.bad_address")}</span>}
      <button
        type="button"
        tabIndex={-1}
        aria-label={words("compose.remove", { who: nameOf(person) })}
        onClick={onRemove}
        className="inline-flex h-full w-6 shrink-0 items-center justify-center text-text2 hover:text-text pointer-coarse:w-11"
      >
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}

function nameOf(person: Addr | undefined): string {
  return person === undefined ? "" : person.name || person.email;
}

/** Folded as the gateway does it: any word of the name, or the address, begins so. */
function matches({ name, email }: Addr, q: string): boolean {
  const wanted = folded(q);
  return [email, ...email.split(/[@._+-]/u), name, ...name.split(/[\s"'(,.-]+/u)].some((word) => folded(word).startsWith(wanted));
}

function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/ł/giu, "l").toLowerCase();
}
