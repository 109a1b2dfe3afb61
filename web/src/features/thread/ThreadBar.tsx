/** The bar above a conversation: back, the order, and what is rarely needed. */
import { ArrowDownUp, ArrowLeft, Ellipsis } from "lucide-react";
import type { ReactNode } from "react";

import type { Order } from "@/api/schema";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Menu, MenuItem } from "@/ui/Menu";

import type { Open } from "./useOpen";

interface Reading {
  order: Order;
  onOrder: (order: Order) => void;
  makeDefault: () => void;
  print: () => void;
  open: Open;
  count: number;
}

interface ThreadBarProps {
  onLeave: () => void;
  /** Beside the way back; at the bottom edge on a phone. */
  actions?: ReactNode;
  reading?: Reading;
}

export function ThreadBar({ onLeave, actions, reading }: ThreadBarProps) {
  const words = useWords();
  return (
    <div role="toolbar" aria-label={words("thread.label")} className="flex h-11.5 shrink-0 items-center gap-1 border-b border-line px-3">
      <IconButton icon={ArrowLeft} label={words("thread.close")} hint="u" onClick={onLeave} />
      {actions !== undefined && (
        <span className="flex items-center gap-0.5 border-l border-line pl-1 max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-10 max-md:h-15 max-md:justify-around max-md:border-t max-md:border-l-0 max-md:bg-bg max-md:px-2">
          {actions}
        </span>
      )}
      {reading !== undefined && <ReadingControls {...reading} />}
    </div>
  );
}

function ReadingControls({ order, onOrder, makeDefault, print, open, count }: Reading) {
  const words = useWords();
  return (
    <>
      <span className="ml-1 flex-1 truncate text-13 text-text3">{words("thread.messages", { count })}</span>
      {count > 1 && (
        <button
          type="button"
          onClick={() => onOrder(order === "asc" ? "desc" : "asc")}
          className="target inline-flex h-8 items-center gap-2 rounded-m px-2.5 text-13 text-text2 hover:bg-hover hover:text-text"
        >
          <ArrowDownUp size={15} strokeWidth={1.75} aria-hidden />
          {words(order === "asc" ? "thread.oldest_first" : "thread.newest_first")}
        </button>
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={words("thread.more")} />}>
        {count > 1 && (
          <MenuItem onSelect={open.toggleAll}>{words(open.all ? "thread.collapse_all" : "thread.expand_all")}</MenuItem>
        )}
        <MenuItem onSelect={print}>{words("thread.print")}</MenuItem>
        <MenuItem onSelect={makeDefault}>{words(`thread.make_default_${order}`)}</MenuItem>
      </Menu>
    </>
  );
}
