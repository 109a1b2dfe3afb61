/** Writes one draft, wherever it is shown. Loaded when the first is opened. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { draft as draftQuery } from "@/api/drafts";
import { ApiError } from "@/api/errors";
import { accounts as accountsQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { copiesHere } from "./copies";
import { deskOf } from "./desks";
import { useEnding } from "./ending";
import { Gone } from "./Gone";
import { Writing } from "./Writing";

/** `inline`: at its conversation; `dock`: in a corner; `page`: all there is. */
export type Place = "inline" | "dock" | "page";

export default function Composer({ id, place }: { id: string; place: Place }) {
  const cache = useQueryClient();
  // What shows a composer has asked already, and would not show it while it is asked again.
  const { data, error } = useQuery({ ...draftQuery(id), retryOnMount: false });
  const { data: accounts } = useQuery(accountsQuery);
  useEffect(() => {
    if (data === undefined) return;
    const { keeper } = deskOf(data, cache);
    if (isGone(error)) keeper.gone(error);
    else keeper.heard(data);
  }, [cache, data, error]);
  if (data === undefined || accounts === undefined) return error === null ? <Waiting /> : <Unopened key={id} id={id} error={error} />;
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

function Unopened({ id, error }: { id: string; error: Error }) {
  const words = useWords();
  const { ready, close } = useEnding();
  const [content] = useState(() => copiesHere.read(id)?.content ?? null);
  useEffect(ready, [ready]);
  return (
    <div className="flex flex-col items-start gap-2 p-4">
      {isGone(error) ? (
        <Gone id={id} content={content} draft={null} files={content?.html.includes("cid:") === true} />
      ) : (
        <>
          <Notice tone="danger">{error instanceof ApiError ? explain(words, error) : words("error.unexpected")}</Notice>
          <Button onClick={close}>{words("app.close")}</Button>
        </>
      )}
    </div>
  );
}

function isGone(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}
