/** One conversation in the list: three lines with a face, or one line. */
import { Paperclip, Star } from "lucide-react";
import { memo, type MouseEvent } from "react";

import type { Account, ThreadSummary } from "@/api/schema";
import { Avatar } from "@/ui/Avatar";
import { classes } from "@/ui/classes";
import { accountColor } from "@/ui/color";
import { useDates, useWords } from "@/ui/i18n";

import { people } from "./people";

export interface ThreadRowProps {
  thread: ThreadSummary;
  /** All accounts; their colours are shown where there are several. */
  accounts: readonly Account[];
  href: string;
  flat: boolean;
  /** It is open. */
  selected: boolean;
  /** The one row that Tab reaches. */
  reachable: boolean;
  onOpen: (event: MouseEvent) => void;
}

export const ThreadRow = memo(function ThreadRow({ thread, accounts, href, flat, selected, chosen, reachable, onOpen }: ThreadRowProps & { chosen: boolean }) {
  const words = useWords();
  const unread = thread.unread_count > 0;
  const Lines = flat ? OneLine : ThreeLines;
  return (
    <a
      href={href}
      tabIndex={reachable ? 0 : -1}
      aria-current={selected ? "true" : undefined}
      onClick={onOpen}
      className={classes(
        "relative flex h-full items-center border-b border-line outline-offset-[-2px]",
        selected || chosen ? "bg-selected" : "bg-surface group-hover:bg-hover",
        unread ? "font-semibold text-text" : "text-text2",
      )}
    >
      {unread && (
        <>
          <span aria-hidden className="absolute inset-y-0 left-0 w-[3px] bg-accent" />
          <span className="sr-only">{words("list.unread")}</span>
        </>
      )}
      <Lines thread={thread} accounts={accounts} />
    </a>
  );
});

type LinesProps = Pick<ThreadRowProps, "thread" | "accounts">;

function ThreeLines({ thread, accounts }: LinesProps) {
  const words = useWords();
  const [first] = thread.participants;
  return (
    <div className="flex min-w-0 flex-1 items-center gap-3 px-3.5">
      <Avatar name={first?.name ?? ""} email={first?.email ?? ""} />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <Who thread={thread} className="text-14" />
          <When thread={thread} className="ml-auto text-13" />
        </div>
        <div className="flex items-center gap-2 text-13">
          <span dir="auto" className="min-w-0 flex-1 truncate text-start">
            {thread.subject || words("list.no_subject")}
          </span>
          <Marks thread={thread} accounts={accounts} />
        </div>
        <p dir="auto" className="truncate text-12 font-normal text-text3">
          {thread.snippet || "\u00A0"}
        </p>
      </div>
    </div>
  );
}

function OneLine({ thread, accounts }: LinesProps) {
  const words = useWords();
  return (
    <div className="flex min-w-0 flex-1 items-center gap-3 pr-4 pl-10 text-13">
      <span className="flex w-9 shrink-0 items-center gap-2.5">
        <StarMark thread={thread} keepPlace />
        <Dots thread={thread} accounts={accounts} />
      </span>
      <span className="flex w-48 shrink-0">
        <Who thread={thread} className="text-13" />
      </span>
      <span dir="auto" className="min-w-0 flex-1 truncate text-start">
        {thread.subject || words("list.no_subject")}
        <span className="font-normal text-text3"> — {thread.snippet}</span>
      </span>
      <ClipMark thread={thread} />
      <When thread={thread} className="w-20 text-right text-13" />
    </div>
  );
}

function Who({ thread, className }: { thread: ThreadSummary; className: string }) {
  const words = useWords();
  return (
    <span className={classes("flex min-w-0 items-baseline gap-2", className)}>
      <span className="truncate">{people(thread.participants) || words("list.nobody")}</span>
      {thread.message_count > 1 && (
        <span className="text-13 font-normal text-text3">
          <span aria-hidden>{thread.message_count}</span>
          <span className="sr-only">{words("list.messages", { count: thread.message_count })}</span>
        </span>
      )}
    </span>
  );
}

function When({ thread, className }: { thread: ThreadSummary; className: string }) {
  const dates = useDates();
  return (
    <time dateTime={thread.last_message_at} className={classes("shrink-0 tabular-nums", className)}>
      {dates.brief(thread.last_message_at)}
    </time>
  );
}

function Marks({ thread, accounts }: LinesProps) {
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      <ClipMark thread={thread} />
      <StarMark thread={thread} />
      <Dots thread={thread} accounts={accounts} />
    </span>
  );
}

function ClipMark({ thread }: { thread: ThreadSummary }) {
  const words = useWords();
  return thread.has_attachments ? <Paperclip size={13} role="img" aria-label={words("list.attachments")} className="text-text3" /> : null;
}

function StarMark({ thread, keepPlace = false }: { thread: ThreadSummary; keepPlace?: boolean }) {
  const words = useWords();
  if (!thread.starred) return keepPlace ? <span aria-hidden className="w-3.5" /> : null;
  return <Star size={14} fill="currentColor" role="img" aria-label={words("list.starred")} className="text-star" />;
}

function Dots({ thread, accounts }: LinesProps) {
  if (accounts.length < 2) return null;
  return accounts.map((account, index) =>
    thread.account_ids.includes(account.id) ? (
      <span
        key={account.id}
        role="img"
        aria-label={account.display_name || account.email}
        title={account.email}
        className="size-1.5 rounded-full"
        style={{ background: accountColor(account.color, index) }}
      />
    ) : null,
  );
}
