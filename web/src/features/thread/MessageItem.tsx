/** One message of a conversation: a line when closed, a sheet of paper when open. */
import { ChevronDown, ChevronUp, Paperclip, Star } from "lucide-react";
import { type ReactNode, useRef } from "react";

import { useComposing } from "@/api/composing";
import type { Message } from "@/api/schema";
import { Avatar } from "@/ui/Avatar";
import { IconButton } from "@/ui/Button";
import { useDates, useWords } from "@/ui/i18n";

import { authorOf, nameOf } from "./author";
import { MessageBody } from "./MessageBody";
import { Recipients } from "./Recipients";
import { Unsubscribe } from "./Unsubscribe";
import { useSeen } from "./useSeen";

interface MessageItemProps {
  message: Message;
  open: boolean;
  /** The only message of its conversation: there is nothing to close it for. */
  alone: boolean;
  onToggle: () => void;
  onSeen: (message: Message) => void;
  menu: ReactNode;
}

export function MessageItem({ message, open, alone, onToggle, onSeen, menu }: MessageItemProps) {
  const author = authorOf(message);
  const item = useRef<HTMLElement>(null);
  useSeen(item, open && message.unread, () => onSeen(message));
  return (
    <article
      ref={item}
      tabIndex={-1}
      data-message={message.id}
      aria-label={nameOf(author)}
      className="scroll-mt-3 rounded-l border border-line bg-surface outline-offset-0 focus-visible:outline-2"
    >
      {open ? (
        <>
          <OpenHeader message={message} closable={!alone && !message.unread} onToggle={onToggle} menu={menu} />
          <MessageBody message={message} />
        </>
      ) : (
        <ClosedMessage message={message} onToggle={onToggle} />
      )}
    </article>
  );
}

function ClosedMessage({ message, onToggle }: { message: Message; onToggle: () => void }) {
  const words = useWords();
  const dates = useDates();
  const author = authorOf(message);
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onToggle}
      className="flex w-full items-center gap-3 rounded-l px-4 py-2.5 text-left hover:bg-hover"
    >
      <Avatar name={author.name} email={author.email} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">{nameOf(author)}</span>
        <span dir="auto" className="block truncate text-start text-13 text-text2">
          {message.snippet || words("message.no_text")}
        </span>
      </span>
      <span className="flex shrink-0 items-center gap-2.5 text-13 text-text3 tabular-nums">
        <Marks message={message} />
        <time dateTime={message.date}>{dates.brief(message.date)}</time>
        <ChevronDown size={16} aria-hidden />
      </span>
    </button>
  );
}

interface OpenHeaderProps {
  message: Message;
  closable: boolean;
  onToggle: () => void;
  menu: ReactNode;
}

function OpenHeader({ message, closable, onToggle, menu }: OpenHeaderProps) {
  const words = useWords();
  const dates = useDates();
  const author = authorOf(message);
  return (
    <header className="flex items-start gap-3 px-4 pt-3 pb-1">
      <span className="mt-1">
        <Avatar name={author.name} email={author.email} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <span className="truncate font-semibold">{nameOf(author)}</span>
          {author.name !== "" && <span className="truncate text-13 text-text3 max-md:hidden">{author.email}</span>}
          {message.draft && <span className="rounded-s bg-warnbg px-1.5 text-12 text-warn">{words("message.draft")}</span>}
          {message.draft && <Continue message={message} />}
          <Unsubscribe message={message} />
          {message.unread && <span className="sr-only">{words("list.unread")}</span>}
        </div>
        <Recipients message={message} />
      </div>
      <div className="flex h-10 shrink-0 items-center gap-1.5 max-md:-mr-3 max-md:gap-1 text-13 text-text3 tabular-nums">
        <Marks message={message} />
        <time dateTime={message.date} title={dates.full(message.date)}>
          <span className="max-md:hidden">{dates.usual(message.date)}</span>
          <span className="md:hidden">{dates.brief(message.date)}</span>
        </time>
        {closable && <IconButton icon={ChevronUp} label={words("message.collapse", { name: nameOf(author) })} onClick={onToggle} />}
        {menu}
      </div>
    </header>
  );
}

/** A draft in a mailbox, whoever put it there, can be gone on with. */
function Continue({ message }: { message: Message }) {
  const words = useWords();
  const { compose } = useComposing();
  return (
    <button
      type="button"
      onClick={() => compose({ elsewhere: message.id })}
      className="target shrink-0 rounded-s text-13 font-semibold text-accent hover:underline"
    >
      {words("compose.continue")}
    </button>
  );
}

function Marks({ message }: { message: Message }) {
  const words = useWords();
  return (
    <>
      {message.attachments.some((attachment) => !attachment.inline) && (
        <Paperclip size={14} role="img" aria-label={words("list.attachments")} />
      )}
      {message.starred && <Star size={14} fill="currentColor" role="img" aria-label={words("list.starred")} className="text-star" />}
    </>
  );
}
