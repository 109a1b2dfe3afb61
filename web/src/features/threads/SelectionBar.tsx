/** How many are chosen and what can be done with them; at the bottom edge on a phone. */
import { X } from "lucide-react";
import type { ComponentType } from "react";

import type { ActionsProps } from "@/api/acting";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";

import type { Selection } from "./useSelection";

interface SelectionBarProps extends Pick<ActionsProps, "marks" | "ask"> {
  selection: Selection;
  /** All that have been loaded. */
  loaded: readonly string[];
  /** How many the list holds; as far as is known, unless `exact`. */
  total: number;
  exact: boolean;
  Actions: ComponentType<ActionsProps>;
}

export function SelectionBar({ selection, loaded, total, exact, marks, ask, Actions }: SelectionBarProps) {
  const words = useWords();
  const { size } = selection.ids;
  const all = loaded.every((id) => selection.ids.has(id));
  const chosen = words("list.selected", { count: selection.everything ? total : size });
  const label = words("list.select_all", { count: loaded.length });
  return (
    <div role="toolbar" aria-label={words("list.selection")} className="contents">
      <div className="flex h-11.5 shrink-0 items-center gap-0.5 border-b border-line bg-bg pr-2 pl-4.5 max-md:order-last max-md:h-15 max-md:border-t max-md:border-b-0 max-md:px-1">
        <label className="target flex size-8 shrink-0 items-center justify-center" title={label}>
          <input
            type="checkbox"
            aria-label={label}
            className="size-4 accent-accent"
            checked={all}
            ref={(box) => {
              if (box !== null) box.indeterminate = !all;
            }}
            onChange={() => (all ? selection.clear() : selection.choose(loaded))}
          />
        </label>
        <span role="status" className="min-w-5 flex-1 truncate text-13 tabular-nums">
          <span aria-hidden className="md:hidden">
            {selection.everything ? total : size}
          </span>
          <span className="max-md:sr-only">{chosen}</span>
        </span>
        <Actions marks={marks} ask={ask} className="md:w-7.5" />
        <IconButton icon={X} label={words("list.select_none")} hint="Esc" onClick={selection.clear} />
      </div>
      {all && (total > loaded.length || !exact) && <Everything selection={selection} total={total} exact={exact} />}
    </div>
  );
}

/** Offers what was never loaded, too. */
function Everything({ selection, total, exact }: Pick<SelectionBarProps, "selection" | "total" | "exact">) {
  const words = useWords();
  const label = exact ? words("list.everything", { count: total }) : words("list.everything_found");
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center justify-center border-b border-line bg-bg px-3 text-13 max-md:order-last">
      {selection.everything ? (
        <span>{exact ? words("list.everything_chosen", { count: total }) : words("list.everything_found_chosen")}</span>
      ) : (
        <button type="button" className="target min-h-8 rounded-m px-2.5 font-semibold text-accent hover:bg-hover" onClick={selection.chooseEverything}>
          {label}
        </button>
      )}
    </div>
  );
}
