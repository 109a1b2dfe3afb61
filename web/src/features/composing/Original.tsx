/** The quoted mail below the writer's own text: read-only, in a frame of its own, behind "•••" (web.md §3). */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { frameAddress } from "@/api/addresses";
import type { Content } from "@/api/drafts";
import { message as messageQuery } from "@/api/queries";
import type { Draft } from "@/api/schema";
import { useDates, useWords } from "@/ui/i18n";
import { SandboxedFrame } from "@/ui/SandboxedFrame";
import { useShownTheme } from "@/ui/theme";

interface OriginalProps {
  quoted: NonNullable<Draft["quoted"]>;
  quote: Content["quote"];
  onQuote: (quote: Content["quote"]) => void;
}

export function Original({ quoted, quote, onQuote }: OriginalProps) {
  const words = useWords();
  const dates = useDates();
  const [open, setOpen] = useState(false);
  const who = quoted.from === null ? "" : quoted.from.name || quoted.from.email;
  return (
    <div className="px-4 pb-2 max-md:px-3">
      <div className="flex items-center gap-3">
        {quote === "full" && (
          <button
            type="button"
            aria-expanded={open}
            aria-label={words(open ? "compose.quoted_hide" : "message.quoted_show")}
            title={words(open ? "compose.quoted_hide" : "message.quoted_show")}
            onClick={() => setOpen(!open)}
            className="target inline-flex h-8 items-center"
          >
            <span aria-hidden className="inline-flex h-3.5 items-center rounded-full bg-line px-2 text-11 leading-none font-semibold tracking-wider text-text">
              •••
            </span>
          </button>
        )}
        <button
          type="button"
          onClick={() => onQuote(quote === "full" ? "none" : "full")}
          className="target inline-flex h-8 items-center rounded-s text-12 text-text3 hover:text-text hover:underline"
        >
          {words(quote === "full" ? "compose.quote_none" : "compose.quote_full")}
        </button>
      </div>
      {quote === "full" && open && (
        <div className="mt-1 border-l-2 border-line pl-3">
          <p className="mb-2 text-12 text-text3">{words("compose.quoted_from", { who, when: dates.usual(quoted.date) })}</p>
          <QuotedBody id={quoted.message_id} title={words("message.body", { name: who })} />
        </div>
      )}
    </div>
  );
}

function QuotedBody({ id, title }: { id: string; title: string }) {
  const words = useWords();
  const theme = useShownTheme();
  const [height, setHeight] = useState(96);
  const { data: message, isError } = useQuery(messageQuery(id));
  if (isError) return <p className="text-13 text-danger">{words("message.error")}</p>;
  if (message === undefined) return <p className="text-13 text-text3">{words("message.loading")}</p>;
  if (!message.has_html) {
    return (
      <div dir="auto" className="max-w-[80ch] text-start break-words whitespace-pre-wrap text-text2">
        {message.text}
      </div>
    );
  }
  return <SandboxedFrame key={theme} src={frameAddress(message, theme, message.remote_images.allowed)} title={title} height={height} onHeight={setHeight} />;
}
