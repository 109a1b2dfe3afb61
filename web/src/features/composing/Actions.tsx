/** Below the text: send, attach, format, and whether it is saved. */
import { Ellipsis, Paperclip, Trash2 } from "lucide-react";
import type { ReactNode } from "react";

import { IconButton } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { type Key, useWords } from "@/ui/i18n";
import { Menu, MenuItem } from "@/ui/Menu";

import type { Place } from "./Composer";
import type { Kept, Saving } from "./keeper";
import { SendButton } from "./SendButton";

const STATES: Record<Saving, Key> = {
  saved: "compose.saved",
  changed: "compose.saving",
  saving: "compose.saving",
  kept: "compose.kept",
  refused: "compose.not_saved",
  closed: "compose.closed",
};

interface ActionsProps {
  kept: Kept;
  sending: boolean;
  /** Nothing can be done with it but to close it, or to choose. */
  locked: boolean;
  place: Place;
  format: ReactNode;
  onSend: (due: Date | null) => void;
  onAttach: () => void;
  onPlain: () => void;
  onDiscard: () => void;
}

export function Actions({ kept, sending, locked, place, format, onSend, onAttach, onPlain, onDiscard }: ActionsProps) {
  const words = useWords();
  const { draft, content, saving } = kept;
  // Nothing was written, so nothing is to be said of it.
  const state = saving === "saved" && draft.revision === 0 ? "" : words(STATES[saving]);
  return (
    <div
      className={classes(
        "flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2",
        place !== "inline" && "border-t border-line",
        place === "page" && "sticky bottom-0 bg-raised",
      )}
    >
      <SendButton sending={sending} locked={locked} onSend={onSend} />
      <IconButton icon={Paperclip} label={words("compose.attach")} onClick={onAttach} />
      {format !== null && <div className="max-md:order-first max-md:w-full">{format}</div>}
      <span className="ml-auto flex items-center gap-1">
        <span data-saving={saving} className={classes("text-12", saving === "kept" || saving === "refused" ? "text-warn" : "text-text3")}>
          {state}
        </span>
        <Menu trigger={<IconButton icon={Ellipsis} label={words("compose.more")} />}>
          <MenuItem onSelect={onPlain}>{words(content.plain ? "compose.rich" : "compose.plain")}</MenuItem>
        </Menu>
        <IconButton icon={Trash2} label={words("compose.discard")} onClick={onDiscard} />
      </span>
    </div>
  );
}
