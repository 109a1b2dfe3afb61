/** What is on its way out: what needs somebody first, then what waits. */
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, SendHorizontal } from "lucide-react";
import { useEffect } from "react";

import type { Send } from "@/api/schema";
import { openSends } from "@/api/sends";
import { Button } from "@/ui/Button";
import { type Key, useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

import { SendCard } from "./SendCard";

const PARTS: readonly [Key, (send: Send) => boolean][] = [
  ["outbox.trouble", ({ state }) => state === "failed" || state === "unconfirmed"],
  ["outbox.going", ({ state, scheduled }) => state === "attempted" || (state === "queued" && !scheduled)],
  ["outbox.scheduled", ({ state, scheduled }) => state === "queued" && scheduled],
];

export default function OutboxPage() {
  const words = useWords();
  const { data, isError, refetch } = useQuery(openSends);
  useEffect(() => {
    document.title = `${words("nav.outbox")} — ${words("app.name")}`;
  }, [words]);
  return (
    <div className="scroll h-full overflow-y-auto px-4 py-8 max-md:px-3 max-md:py-4">
      <div className="mx-auto max-w-[760px]">
        <h1 className="mb-4 text-20 font-semibold tracking-tight">{words("nav.outbox")}</h1>
        {isError && (
          <Empty icon={CircleAlert} title={words("outbox.error")}>
            <Button onClick={() => void refetch()}>{words("app.retry")}</Button>
          </Empty>
        )}
        {data?.length === 0 && <Empty icon={SendHorizontal} title={words("outbox.none")} text={words("outbox.none_text")} />}
        {PARTS.map(([title, belongs]) => {
          const sends = data?.filter(belongs) ?? [];
          return (
            sends.length > 0 && (
              <section key={title} aria-label={words(title)} className="mb-6">
                <h2 className="mb-2 text-11 font-semibold tracking-wide text-text3 uppercase">{words(title)}</h2>
                <ul className="flex flex-col gap-2">
                  {sends.map((one) => (
                    <SendCard key={one.id} send={one} />
                  ))}
                </ul>
              </section>
            )
          );
        })}
      </div>
    </div>
  );
}
