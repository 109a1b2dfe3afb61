/** Whom a message went to; unfolds into everything its envelope says. */
import { ChevronDown, Download } from "lucide-react";
import { useId, useState } from "react";

import { emlAddress } from "@/api/addresses";
import type { Addr, Message } from "@/api/schema";
import { classes } from "@/ui/classes";
import { type Key, useBytes, useDates, useWords } from "@/ui/i18n";

import { nameOf } from "./author";

const ROWS: [Key, "from" | "sender" | "reply_to" | "to" | "cc" | "bcc"][] = [
  ["message.from", "from"],
  ["message.sender", "sender"],
  ["message.reply_to", "reply_to"],
  ["message.to_label", "to"],
  ["message.cc", "cc"],
  ["message.bcc", "bcc"],
];

export function Recipients({ message }: { message: Message }) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  const names = [...message.to, ...message.cc].map(nameOf).join(", ");
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        title={words("message.details")}
        onClick={() => setOpen(!open)}
        className="relative flex max-w-full items-center gap-1 rounded-s text-13 text-text2 hover:text-text pointer-coarse:after:absolute pointer-coarse:after:-inset-3"
      >
        <span className="truncate">{names === "" ? words("message.to_nobody") : words("message.to", { names })}</span>
        <ChevronDown size={13} aria-hidden className={classes("shrink-0 text-text3 transition-transform", open && "rotate-180")} />
      </button>
      <div id={id} hidden={!open}>
        {open && <Envelope message={message} />}
      </div>
    </>
  );
}

function Envelope({ message }: { message: Message }) {
  const words = useWords();
  const dates = useDates();
  const bytes = useBytes();
  return (
    <div className="my-2 rounded-m bg-bg p-3 text-13">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {ROWS.filter(([, field]) => message[field].length > 0).map(([label, field]) => (
          <Row key={field} label={words(label)} value={message[field].map(written).join(", ")} />
        ))}
        <Row label={words("message.date")} value={dates.full(message.date)} />
        <Row label={words("message.subject")} value={message.subject || words("list.no_subject")} />
        <Row label={words("message.size")} value={bytes(message.size)} />
      </dl>
      <a href={emlAddress(message.id)} download className="target mt-2 inline-flex items-center gap-1.5 font-semibold text-accent hover:underline">
        <Download size={14} aria-hidden />
        {words("message.raw")}
      </a>
    </div>
  );
}

function Row({ label, value }: { label: string; value: string }) {
  return (
    <>
      <dt className="text-text3">{label}</dt>
      <dd dir="auto" className="min-w-0 text-start break-words">
        {value}
      </dd>
    </>
  );
}

function written(address: Addr): string {
  return address.name === "" ? address.email : `${address.name} <${address.email}>`;
}
