/** The keys that exist. */
import { Fragment } from "react";

import { type Key, useWords } from "@/ui/i18n";
import { Sheet } from "@/ui/Sheet";

const KEYS: { keys: string[]; joined: Key; does: Key }[] = [
  { keys: ["j"], joined: "keys.or", does: "keys.next" },
  { keys: ["k"], joined: "keys.or", does: "keys.previous" },
  { keys: ["o", "Enter"], joined: "keys.or", does: "keys.open" },
  { keys: ["u"], joined: "keys.or", does: "keys.back" },
  { keys: ["x"], joined: "keys.or", does: "keys.choose" },
  { keys: ["J", "K"], joined: "keys.or", does: "keys.choose_more" },
  { keys: ["*", "a"], joined: "keys.then", does: "keys.choose_all" },
  { keys: ["e"], joined: "keys.or", does: "act.verb.archive" },
  { keys: ["#"], joined: "keys.or", does: "act.verb.trash" },
  { keys: ["!"], joined: "keys.or", does: "act.verb.junk" },
  { keys: ["s"], joined: "keys.or", does: "keys.star" },
  { keys: ["v"], joined: "keys.or", does: "act.verb.move" },
  { keys: ["u"], joined: "keys.or", does: "keys.read" },
  { keys: ["U"], joined: "keys.or", does: "act.verb.unread" },
  { keys: ["c"], joined: "keys.or", does: "keys.compose" },
  { keys: ["r"], joined: "keys.or", does: "compose.reply" },
  { keys: ["a"], joined: "keys.or", does: "compose.reply_all" },
  { keys: ["f"], joined: "keys.or", does: "compose.forward" },
  { keys: ["Ctrl", "Enter"], joined: "keys.with", does: "keys.send" },
  { keys: ["z"], joined: "keys.or", does: "keys.undo" },
  { keys: ["/"], joined: "keys.or", does: "keys.search" },
  { keys: ["g", "i"], joined: "keys.then", does: "keys.inbox" },
  { keys: ["Esc"], joined: "keys.or", does: "keys.close" },
  { keys: ["?"], joined: "keys.or", does: "keys.sheet" },
];

export function KeySheet({ onClose }: { onClose: () => void }) {
  const words = useWords();
  return (
    <Sheet title={words("keys.title")} closeLabel={words("app.close")} onClose={onClose}>
      <dl className="grid grid-cols-[1fr_auto] gap-y-2 px-2 pb-1 text-13">
        {KEYS.map(({ keys, joined, does }) => (
          <Fragment key={does}>
            <dt>{words(does)}</dt>
            <dd className="text-right text-text3">
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && ` ${words(joined)} `}
                  <kbd className="rounded-s border border-line bg-surface px-1.5 py-px font-sans text-12 text-text">{key}</kbd>
                </Fragment>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </Sheet>
  );
}
