/** A message's header fields, as they came. */
import { useQuery } from "@tanstack/react-query";

import { headers as headersQuery } from "@/api/queries";
import type { Message } from "@/api/schema";
import { useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";
import { Sheet } from "@/ui/Sheet";

export default function Headers({ message, onClose }: { message: Message; onClose: () => void }) {
  const words = useWords();
  const { data = [], isError } = useQuery(headersQuery(message.id));
  return (
    <Sheet title={words("message.headers")} closeLabel={words("app.close")} side="wide" onClose={onClose}>
      {isError && <Notice tone="danger">{words("message.error")}</Notice>}
      <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 gap-y-1 px-2 text-12 max-md:grid-cols-1">
        {data.map(({ name, value }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same field may come twice, and nothing moves
          <div key={index} className="contents">
            <dt className="text-text3">{name}</dt>
            <dd dir="auto" className="min-w-0 text-start font-mono break-words">
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
