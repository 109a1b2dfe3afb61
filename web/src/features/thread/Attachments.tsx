/** What is attached to a message: each can be downloaded, and looked at where that is safe. */
import { Download, FileArchive, FileImage, FileText, File as Other, type LucideIcon, CalendarDays } from "lucide-react";

import { attachmentAddress } from "@/api/addresses";
import type { Attachment, Message } from "@/api/schema";
import { useBytes, useWords } from "@/ui/i18n";

const ICONS: [RegExp, LucideIcon][] = [
  [/^image\//u, FileImage],
  [/^text\/calendar/u, CalendarDays],
  [/pdf|^text\/|word|document/u, FileText],
  [/zip|compressed|tar|rar|7z/u, FileArchive],
];

export function Attachments({ message }: { message: Message }) {
  const words = useWords();
  // What the HTML shows in its place is no attachment to the reader.
  const shown = message.attachments.filter((attachment) => !attachment.inline || !message.has_html);
  if (shown.length === 0) return null;
  return (
    <section aria-label={words("message.attachments", { count: shown.length })} className="mt-1 pr-4 pl-15 max-md:pl-4">
      <ul className="flex flex-wrap gap-2">
        {shown.map((attachment) => (
          <AttachmentItem key={attachment.id} attachment={attachment} />
        ))}
      </ul>
    </section>
  );
}

function AttachmentItem({ attachment }: { attachment: Attachment }) {
  const words = useWords();
  const bytes = useBytes();
  const name = attachment.filename || attachment.mime;
  const picture = attachment.previewable && attachment.mime.startsWith("image/");
  const text = (
    <>
      <Face attachment={attachment} picture={picture} />
      <span className="min-w-0 py-1.5">
        <span className="block truncate text-13 font-semibold">{name}</span>
        <span className="block text-12 text-text3">{bytes(attachment.size)}</span>
      </span>
    </>
  );
  const face = "flex min-w-0 flex-1 items-center gap-2.5 rounded-l";
  return (
    <li className="flex w-64 max-w-full items-center rounded-l border border-line bg-surface pr-1 hover:bg-hover">
      {attachment.previewable ? (
        <a
          href={attachmentAddress(attachment, true)}
          target="_blank"
          rel="noopener noreferrer"
          title={words("message.preview", { name })}
          className={face}
        >
          {text}
        </a>
      ) : (
        <span className={face}>{text}</span>
      )}
      <a
        href={attachmentAddress(attachment, false)}
        download={attachment.filename || true}
        aria-label={words("message.download", { name })}
        title={words("message.download", { name })}
        className="target inline-flex size-8 shrink-0 items-center justify-center rounded-m text-text2 hover:text-text"
      >
        <Download size={16} strokeWidth={1.75} aria-hidden />
      </a>
    </li>
  );
}

function Face({ attachment, picture }: { attachment: Attachment; picture: boolean }) {
  if (picture) {
    return <img src={attachmentAddress(attachment, true)} alt="" loading="lazy" className="size-12 shrink-0 rounded-l object-cover" />;
  }
  const Icon = ICONS.find(([pattern]) => pattern.test(attachment.mime))?.[1] ?? Other;
  return (
    <span className="flex size-12 shrink-0 items-center justify-center text-text3">
      <Icon size={20} strokeWidth={1.5} aria-hidden />
    </span>
  );
}
