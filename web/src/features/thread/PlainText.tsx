/** A plain body as text: links work, quoted passages are folded. */
import { Fragment } from "react";

import { useWords } from "@/ui/i18n";

import { pieces } from "./links";
import { passages } from "./quoted";

export function PlainText({ text }: { text: string }) {
  const words = useWords();
  if (text.trim() === "") return <p className="pr-4 pl-15 text-text3 max-md:pl-4">{words("message.no_text")}</p>;
  return (
    <div className="flex flex-col gap-2 pr-4 pl-15 max-md:pl-4">
      {passages(text).map((passage) =>
        passage.quoted ? (
          <details key={passage.at} className="text-text2">
            <summary
              aria-label={words("message.quoted_show")}
              title={words("message.quoted_show")}
              className="target inline-flex list-none items-center [&::-webkit-details-marker]:hidden"
            >
              <span aria-hidden className="inline-flex h-3.5 items-center rounded-full bg-line px-2 text-11 leading-none font-semibold tracking-wider text-text">
                •••
              </span>
            </summary>
            <Passage text={passage.text} />
          </details>
        ) : (
          <Passage key={passage.at} text={passage.text} />
        ),
      )}
    </div>
  );
}

function Passage({ text }: { text: string }) {
  return (
    <div dir="auto" className="max-w-[80ch] text-start break-words whitespace-pre-wrap">
      {pieces(text).map((piece) =>
        piece.kind === "link" ? (
          <a key={piece.at} href={piece.text} target="_blank" rel="noopener noreferrer" className="text-accent underline">
            {piece.text}
          </a>
        ) : (
          <Fragment key={piece.at}>{piece.text}</Fragment>
        ),
      )}
    </div>
  );
}
