/** Where to: the mailboxes of the account, found by typing, chosen by keys or a click. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Folder } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

import type { Target } from "@/api/acting";
import { loadedRow } from "@/api/listing";
import { accounts as accountsQuery } from "@/api/queries";
import type { Account, Mailbox } from "@/api/schema";
import { classes } from "@/ui/classes";
import { useWords, type Words } from "@/ui/i18n";
import { Sheet } from "@/ui/Sheet";

interface MovePickerProps {
  target: Target;
  onChoose: (mailbox: Mailbox) => void;
  onClose: () => void;
}

interface Place {
  mailbox: Mailbox;
  name: string;
  account: string;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

export default function MovePicker({ target, onChoose, onClose }: MovePickerProps) {
  const words = useWords();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const places = usePlaces(target);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = places.filter(({ name }) => folded(name).includes(folded(typed)));
  const current = Math.min(at, found.length - 1);
  useEffect(() => list.current?.children[current]?.scrollIntoView({ block: "nearest" }), [current]);

  const pressed = (event: KeyboardEvent) => {
    const chosen = found[current];
    const step = STEPS[event.key];
    if (event.key === "Enter" && chosen !== undefined) onChoose(chosen.mailbox);
    else if (step !== undefined) setAt((current + step + found.length) % Math.max(found.length, 1));
    else return;
    event.preventDefault();
  };

  return (
    <Sheet title={words("act.move_to")} closeLabel={words("app.close")} onClose={onClose}>
      <input
        autoFocus
        role="combobox"
        aria-label={words("act.find_mailbox")}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        autoComplete="off"
        placeholder={words("act.find_mailbox")}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={pressed}
        className="h-10 w-full rounded-m border border-input bg-surface px-3 text-14 focus-visible:outline-offset-0 max-md:h-11 max-md:text-16"
      />
      <div ref={list} id={id} role="listbox" aria-label={words("act.move_to")} className="scroll mt-2 max-h-72 overflow-y-auto">
        {found.map(({ mailbox, name, account }, index) => (
          // Chosen by the keys of the field that has the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- see above
          <div
            key={mailbox.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => onChoose(mailbox)}
            className={classes("target flex cursor-pointer items-center gap-2.5 rounded-m px-2.5 py-1.5 text-13", index === current ? "bg-selected" : "hover:bg-hover")}
          >
            <Folder size={15} aria-hidden className="shrink-0 text-text3" />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {account !== "" && <span className="truncate text-12 text-text3">{account}</span>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-2.5 py-2 text-13 text-text2">{words("act.no_mailbox_found")}</p>}
    </Sheet>
  );
}

/** Mail is moved within its account, and not to where it is. */
function usePlaces(target: Target): Place[] {
  const words = useWords();
  const cache = useQueryClient();
  const { data: accounts = [] } = useQuery(accountsQuery);
  const rows = target.threads.flatMap((thread) => loadedRow(cache, thread) ?? []);
  const owners = new Set([...(target.messages ?? []).map((message) => message.account_id), ...rows.flatMap((row) => row.account_ids)]);
  const only = "account" in target.view ? target.view.account : null;
  const ours = accounts.filter((account) => (only === null ? owners.size === 0 || owners.has(account.id) : account.id === only));
  const here = target.view.kind === "mailbox" ? target.view.mailbox : "";
  return ours.flatMap((account) => placesOf(account, words, ours.length > 1)).filter(({ mailbox }) => mailbox.id !== here);
}

function placesOf(account: Account, words: Words, named: boolean): Place[] {
  return account.mailboxes
    .filter((mailbox) => mailbox.selectable)
    .map((mailbox) => ({ mailbox, name: nameOf(mailbox, words), account: named ? account.display_name || account.email : "" }));
}

function nameOf({ special_use, path, delimiter }: Mailbox, words: Words): string {
  if (special_use !== null) return words(`nav.${special_use}`);
  return delimiter === null ? path : path.split(delimiter).join(" / ");
}

function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
