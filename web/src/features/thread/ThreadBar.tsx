/** The bar above a conversation: back, the order, and what is rarely needed. */
import { ArrowDownUp, ArrowLeft, Ellipsis } from "lucide-react";

import type { Order } from "@/api/schema";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Menu, MenuItem } from "@/ui/Menu";

import type { Open } from "./useOpen";

interface Reading {
  order: Order;
  onOrder: (order: Order) => void;
  makeDefault: () => void;
  open: Open;
  count: number;
}

export function ThreadBar({ onLeave, reading }: { onLeave: () => void; reading?: Reading }) {
  const words = useWords();
  return (
    <div role="toolbar" aria-label={words("thread.label")} className="flex h-11.5 shrink-0 items-center gap-1 border-b border-line px-3">
      <IconButton icon={ArrowLeft} label={words("thread.close")} hint="u" onClick={onLeave} />
      {reading !== undefined && <ReadingControls {...reading} />}
    </div>
  );
}

function ReadingControls({ order, onOrder, makeDefault, open, count }: Reading) {
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
        <MenuItem onSelect={makeDefault}>{words(`thread.make_default_${order}`)}</MenuItem>
      </Menu>
    </>
  );
}
