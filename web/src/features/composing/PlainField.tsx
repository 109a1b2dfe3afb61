/** The text of a plain draft. */
import { useEffect, useRef, useState } from "react";

import { classes } from "@/ui/classes";
import { htmlOf, textOf } from "@/ui/editor/plain";

interface PlainFieldProps {
  label: string;
  html: string;
  edition: number;
  autoFocus: boolean;
  className?: string;
  onChange: (html: string) => void;
}

export function PlainField({ label, html, edition, autoFocus, className, onChange }: PlainFieldProps) {
  const [text, setText] = useState(() => textOf(html));
  const field = useRef<HTMLTextAreaElement>(null);
  const given = useRef(html);
  useEffect(() => {
    given.current = html;
  });
  useEffect(() => setText(textOf(given.current)), [edition]);
  useEffect(() => {
    if (autoFocus) field.current?.setSelectionRange(0, 0);
    // oxlint-disable-next-line react/exhaustive-deps -- when it opens
  }, []);
  return (
    <textarea
      ref={field}
      aria-label={label}
      autoFocus={autoFocus}
      dir="auto"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(htmlOf(event.target.value));
      }}
      className={classes("field-sizing-content min-h-24 w-full resize-none bg-transparent text-14 outline-none max-md:text-16", className)}
    />
  );
}
