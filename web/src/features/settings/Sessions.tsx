/** Where one is signed in. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { ApiError } from "@/api/errors";
import { endOtherSessions, endSession, sessions } from "@/api/identity";
import { Button } from "@/ui/Button";
import { useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { browserOf } from "./browserOf";
import { Card } from "./Card";

export function Sessions() {
  const words = useWords();
  const dates = useDates();
  const cache = useQueryClient();
  const { data = [] } = useQuery(sessions);
  const again = { onSettled: async () => cache.invalidateQueries({ queryKey: sessions.queryKey }) };
  const ending = useMutation<unknown, ApiError, string>({ mutationFn: endSession, ...again });
  const endingOthers = useMutation<unknown, ApiError>({ mutationFn: endOtherSessions, ...again });
  const error = ending.error ?? endingOthers.error;
  return (
    <Card title={words("security.sessions")} text={words("security.sessions_text")}>
      <ul className="flex flex-col gap-3">
        {data.map((session) => {
          const name = browserOf(session.user_agent) ?? (session.user_agent || words("security.unknown_browser"));
          return (
            <li key={session.id} className="flex items-center gap-3">
              <div className="min-w-0 flex-1">
                <p className="truncate text-14 font-semibold" title={session.user_agent}>
                  {name}
                </p>
                <p className="text-12 text-text3">
                  {[session.network, session.current ? words("security.this_session") : dates.ago(session.last_seen_at)]
                    .filter((part) => part !== "")
                    .join(" · ")}
                </p>
              </div>
              {!session.current && (
                <Button aria-label={words("security.end_named", { name })} onClick={() => ending.mutate(session.id)}>
                  {words("security.end")}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {error !== null && <Notice tone="danger">{explain(words, error)}</Notice>}
      {data.length > 1 && (
        <Button className="self-start" onClick={() => endingOthers.mutate()}>
          {words("security.end_others")}
        </Button>
      )}
    </Card>
  );
}
