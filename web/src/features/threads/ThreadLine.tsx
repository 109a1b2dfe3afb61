/** A row with what is around it: the box that chooses it, and under the pointer what can be done with it. */
import { type ComponentType, type MouseEvent, useState } from "react";

import type { ActionsProps, Verb } from "@/api/acting";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

import { ThreadRow, type ThreadRowProps } from "./ThreadRow";

interface ThreadLineProps extends ThreadRowProps {
  chosen: boolean;
  /** Some are chosen, so that every row shows its box. */
  choosing: boolean;
  place: string | null;
  /** `through`: everything up to here. */
  onChoose: (through: boolean) => void;
  ask: (verb: Verb) => void;
  Actions: ComponentType<ActionsProps>;
}

export function ThreadLine({ chosen, choosing, place, onChoose, ask, Actions, ...row }: ThreadLineProps) {
  const words = useWords();
  const [pointed, setPointed] = useState(false);
  const { thread, flat } = row;
  const marks = { starred: thread.starred, unread: thread.unread_count > 0, place };
  // What lies over the row has its colour.
  const paper = chosen || row.selected ? "bg-selected" : "bg-surface group-hover:bg-hover";
  return (
    <div role="gridcell" className="group relative h-full" onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
      <ThreadRow {...row} chosen={chosen} />
      <label
        className={classes(
          "absolute inset-y-0 flex cursor-pointer items-center justify-center",
          flat ? "left-1.5 w-7" : "left-2 w-11",
          chosen || choosing ? "opacity-100" : "opacity-0 pointer-fine:group-hover:opacity-100",
        )}
      >
        <span className={classes("flex items-center justify-center", !flat && "size-8", !flat && paper)}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={chosen}
            aria-label={words("list.select", { subject: thread.subject || words("list.no_subject") })}
            className="size-4 accent-accent"
            onChange={(event) => onChoose(withShift(event.nativeEvent))}
          />
        </span>
      </label>
      {pointed && (
        <div className={classes("absolute inset-y-0.5 right-2 flex items-center gap-0.5 pl-2 pointer-coarse:hidden", paper)}>
          <Actions marks={marks} ask={ask} few className="size-7" />
        </div>
      )}
    </div>
  );
}

/** A change of a checkbox is told by the click that made it. */
function withShift(event: Event | MouseEvent): boolean {
  return event instanceof globalThis.MouseEvent && event.shiftKey;
}
