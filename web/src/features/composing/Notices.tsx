/** What keeps a draft from being saved or sent, and the ways on. */
import type { ApiError } from "@/api/errors";
import { Button } from "@/ui/Button";
import { textOf } from "@/ui/editor/plain";
import { useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Gone } from "./Gone";
import { isSendable } from "./people";
import type { Kept } from "./keeper";
import { Told } from "./Told";
import type { Problem } from "./useSend";

interface NoticesProps {
  kept: Kept;
  files: boolean;
  problem: Problem | null;
  error: ApiError | null;
  onChoose: (which: "mine" | "theirs") => void;
  onSendAnyway: () => void;
  onAttach: () => void;
  onClose: () => void;
}

const SNIPPET = 160;

export function Notices({ kept, files, problem, error, onChoose, onSendAnyway, onAttach, onClose }: NoticesProps) {
  const words = useWords();
  const dates = useDates();
  const { content, newer, saving, why, draft } = kept;
  const bad = [...content.to, ...content.cc, ...content.bcc].filter((one) => !isSendable(one)).map(({ email }) => email);
  return (
    <div className="flex flex-col gap-2 px-4 py-2 empty:hidden max-md:px-3">
      {newer !== null && (
        <Told
          text={
            <>
              {words("compose.newer", { when: dates.usual(newer.updated_at) })} <q>{snippet(newer.html) || newer.subject}</q>
            </>
          }
        >
          <Button onClick={() => onChoose("theirs")}>{words("compose.take_newer")}</Button>
          <Button onClick={() => onChoose("mine")}>{words("compose.keep_mine")}</Button>
        </Told>
      )}
      {saving === "closed" && why?.code === "being_sent" && (
        <Told text={words("compose.being_sent")}>
          <Button onClick={onClose}>{words("app.close")}</Button>
        </Told>
      )}
      {saving === "closed" && why?.status === 404 && <Gone id={draft.id} content={content} draft={draft} files={files} />}
      {saving === "refused" && why !== null && <Notice tone="danger">{words("compose.refused", { why: explain(words, why) })}</Notice>}
      {problem === "nobody" && <Notice tone="danger">{words("error.no_recipients")}</Notice>}
      {problem === "address" && bad.length > 0 && <Notice tone="danger">{words("compose.bad_addresses", { who: bad.join(", ") })}</Notice>}
      {problem === "file" && (
        <Told text={words("compose.no_file")}>
          <Button onClick={onAttach}>{words("compose.attach")}</Button>
          <Button onClick={onSendAnyway}>{words("compose.send_anyway")}</Button>
        </Told>
      )}
      {error !== null && newer === null && saving !== "closed" && <Notice tone="danger">{words("compose.not_sent", { why: explain(words, error) })}</Notice>}
      {draft.warnings.length > 0 && <Notice tone="warn">{draft.warnings.join(" ")}</Notice>}
    </div>
  );
}

function snippet(html: string): string {
  return textOf(html).replace(/\s+/gu, " ").trim().slice(0, SNIPPET);
}
