/** Everything that was begun and not sent: here, and in the mail servers' own drafts. */
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, File } from "lucide-react";
import { useEffect } from "react";

import { useComposing } from "@/api/composing";
import { drafts as draftsQuery } from "@/api/drafts";
import { accounts as accountsQuery } from "@/api/queries";
import type { Account, DraftSummary } from "@/api/schema";
import { Button } from "@/ui/Button";
import { accountColor } from "@/ui/color";
import { useDates, useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

export default function DraftsPage() {
  const words = useWords();
  const { discarding } = useComposing();
  const { data, isError, refetch } = useQuery(draftsQuery);
  const { data: accounts = [] } = useQuery(accountsQuery);
  useEffect(() => {
    document.title = `${words("nav.drafts")} — ${words("app.name")}`;
  }, [words]);
  const shown = data?.filter(({ id, outbox_id }) => outbox_id === null && (id === null || !discarding.has(id)));
  return (
    <div className="scroll h-full overflow-y-auto px-4 py-8 max-md:px-3 max-md:py-4 max-md:pb-24">
      <div className="mx-auto max-w-[760px]">
        <h1 className="mb-4 text-20 font-semibold tracking-tight">{words("nav.drafts")}</h1>
        {isError && (
          <Empty icon={CircleAlert} title={words("drafts.error")}>
            <Button onClick={() => void refetch()}>{words("app.retry")}</Button>
          </Empty>
        )}
        {shown?.length === 0 && <Empty icon={File} title={words("drafts.none")} text={words("drafts.none_text")} />}
        {shown !== undefined && shown.length > 0 && (
          <ul className="overflow-hidden rounded-l border border-line bg-surface">
            {shown.map((draft) => (
              <Row key={draft.id ?? draft.message_id} draft={draft} accounts={accounts} />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function Row({ draft, accounts }: { draft: DraftSummary; accounts: readonly Account[] }) {
  const words = useWords();
  const dates = useDates();
  const { compose } = useComposing();
  const index = accounts.findIndex(({ id }) => id === draft.account_id);
  const account = accounts[index];
  const go = () => {
    if (draft.id !== null) compose({ draft: draft.id });
    else if (draft.message_id !== null) compose({ elsewhere: draft.message_id });
  };
  return (
    <li className="border-b border-line last:border-b-0">
      <button type="button" onClick={go} className="target flex w-full flex-col px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover">
        <span className="flex w-full items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate font-semibold">
            {draft.to.map(({ name, email }) => name || email).join(", ") || <span className="font-normal text-text3">{words("drafts.nobody")}</span>}
          </span>
          {account !== undefined && accounts.length > 1 && (
            <span className="flex shrink-0 items-center gap-1.5 text-12 text-text3">
              <span aria-hidden className="size-2 rounded-full" style={{ background: accountColor(account.color, index) }} />
              {account.display_name || account.email}
            </span>
          )}
          <time dateTime={draft.updated_at} className="shrink-0 text-12 text-text3 tabular-nums">
            {dates.brief(draft.updated_at)}
          </time>
        </span>
        <span dir="auto" className="w-full truncate text-start text-13">
          {draft.subject || words("list.no_subject")}
          <span className="text-text3"> {draft.snippet}</span>
        </span>
      </button>
    </li>
  );
}
