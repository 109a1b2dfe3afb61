/** Writes one draft, wherever it is shown. Loaded when the first is opened. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { draft as draftQuery } from "@/api/drafts";
import { ApiError } from "@/api/errors";
import { accounts as accountsQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { deskOf } from "./desks";
import { useEnding } from "./ending";
import { Writing } from "./Writing";

/** `inline`: at its conversation; `dock`: in a corner; `page`: all there is. */
export type Place = "inline" | "dock" | "page";

export default function Composer({ id, place }: { id: string; place: Place }) {
  const cache = useQueryClient();
  const { data, error } = useQuery(draftQuery(id));
  const { data: accounts } = useQuery(accountsQuery);
  useEffect(() => {
    if (data !== undefined) deskOf(data, cache).keeper.heard(data);
  }, [cache, data]);
  if (data === undefined || accounts === undefined) return error === null ? <Waiting /> : <Gone error={error} />;
  return <Writing key={id} desk={deskOf(data, cache)} place={place} identities={accounts.flatMap((account) => account.identities)} />;
}

function Waiting() {
  const words = useWords();
  return (
    <p aria-busy className="px-4 py-3 text-13 text-text3">
      {words("compose.opening")}
    </p>
  );
}

function Gone({ error }: { error: Error }) {
  const words = useWords();
  const { ready, close } = useEnding();
  useEffect(ready, [ready]);
  const text = error instanceof ApiError && error.status !== 404 ? explain(words, error) : words("compose.gone");
  return (
    <div className="flex flex-col items-start gap-2 p-4">
      <Notice tone="danger">{text}</Notice>
      <Button onClick={close}>{words("app.close")}</Button>
    </div>
  );
}
