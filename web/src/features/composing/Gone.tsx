/** A draft that is not here any more: what became of it, and what was written in it as a new one. */
import { useMutation, useQuery } from "@tanstack/react-query";

import type { Content } from "@/api/drafts";
import { accounts as accountsQuery } from "@/api/queries";
import type { Draft, Send } from "@/api/schema";
import { lastSends } from "@/api/sends";
import { Button } from "@/ui/Button";
import { withoutPictures } from "@/ui/editor/squire";
import { useWords } from "@/ui/i18n";

import { closeHere } from "./begin";
import { useEnding } from "./ending";
import { isWritten } from "./keeper";
import { Told } from "./Told";

const SENT: ReadonlySet<Send["state"]> = new Set(["queued", "attempted", "delivered"]);

interface GoneProps {
  id: string;
  /** Null: nothing is known of it. */
  content: Content | null;
  /** As the gateway last had it, if that is known. */
  draft: Draft | null;
  /** It had some. */
  files: boolean;
}

export function Gone({ id, content, draft, files }: GoneProps) {
  const words = useWords();
  const { begin } = useEnding();
  // What was sent is not offered once more, so nothing is before that is known, or cannot be.
  const { data: sends, isFetchedAfterMount } = useQuery({ ...lastSends, staleTime: 0, retry: false });
  const { data: accounts = [] } = useQuery(accountsQuery);
  const keeping = useMutation({ mutationFn: begin });
  const sent = sends?.some(({ draft_id, state }) => draft_id === id && SENT.has(state)) === true;
  const offered = content !== null && isWritten(content) && isFetchedAfterMount && !sent;
  const lost = draft?.kind === "forward" ? "compose.lost_original" : files ? "compose.lost_files" : null;
  const keep = () => {
    if (content === null) return;
    const known = accounts.some(({ identities }) => identities.some((one) => one.id === content.identity_id));
    const answers = known && draft !== null && draft.quoted !== null && draft.kind !== "forward";
    keeping.mutate({
      instead: id,
      identity: known ? content.identity_id : null,
      kind: answers ? draft.kind : "new",
      message: answers ? draft.source_message_id : null,
      content: { ...content, html: withoutPictures(content.html) },
    });
  };
  return (
    <Told
      text={
        <>
          {words(sent ? "compose.gone_sent" : "compose.gone")} {offered && lost !== null && words(lost)}
        </>
      }
    >
      {offered && (
        <Button disabled={keeping.isPending} onClick={keep}>
          {words("compose.keep_as_new")}
        </Button>
      )}
      <Button onClick={closeHere}>{words("app.close")}</Button>
    </Told>
  );
}
