/** A field for formatted text. */
import { useEffect, useRef } from "react";

import { classes } from "@/ui/classes";

import { type Picture, type Take, takeEmbedded } from "./embedded";
import { asShown, asStored, makeEditor, type Pictures, type Squire } from "./squire";

interface RichTextProps {
  label: string;
  /** What it begins with; taken over again only when `edition` changes. */
  html: string;
  edition: number;
  pictures?: Pictures;
  autoFocus?: boolean;
  onChange: (html: string) => void;
  /** Pasted pictures; the answer is how each is shown. */
  onPictures?: (files: readonly File[]) => readonly Picture[];
  /** Pictures that stand in pasted or dropped HTML itself; without this they stay there. */
  onEmbedded?: Take;
  /** The editor once it is there, null when it goes. */
  onEditor?: (editor: Squire | null) => void;
  className?: string;
}

const NO_PICTURES: Pictures = () => undefined;

export function RichText({ label, html, edition, pictures = NO_PICTURES, autoFocus = false, className, ...told }: RichTextProps) {
  const root = useRef<HTMLDivElement>(null);
  const editor = useRef<Squire | null>(null);
  /** What is in it and known: putting something in is no change of the writer's. */
  const known = useRef("");
  const latest = useRef(told);
  useEffect(() => {
    latest.current = told;
  });

  useEffect(() => {
    if (root.current === null) return;
    const made = makeEditor(root.current);
    editor.current = made;
    made.addEventListener("input", () => {
      const now = asStored(made.getHTML());
      if (now === known.current) return;
      known.current = now;
      latest.current.onChange(now);
    });
    made.addEventListener("pasteImage", (event) => paste(made, event, latest.current.onPictures));
    made.addEventListener("willPaste", (event) => embed(event, latest.current.onEmbedded));
    latest.current.onEditor?.(made);
    return () => {
      made.destroy();
      editor.current = null;
      latest.current.onEditor?.(null);
    };
  }, []);

  const given = useRef({ html, pictures, autoFocus });
  useEffect(() => {
    given.current = { html, pictures, autoFocus };
  });
  useEffect(() => {
    const made = editor.current;
    if (made === null) return;
    made.setHTML(asShown(given.current.html, given.current.pictures));
    known.current = asStored(made.getHTML());
    made.moveCursorToStart();
    if (given.current.autoFocus && edition === 0) made.focus();
  }, [edition]);

  return (
    <div
      ref={root}
      role="textbox"
      aria-multiline
      aria-label={label}
      tabIndex={0}
      dir="auto"
      // Whatever is pasted stays inside: `contain` is also what a fixed position is relative to.
      className={classes("rich min-h-24 contain-layout contain-paint outline-none", className)}
    />
  );
}

function paste(editor: Squire, event: Event, onPictures: RichTextProps["onPictures"]): void {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (typeof detail !== "object" || detail === null || !("clipboardData" in detail) || !(detail.clipboardData instanceof DataTransfer)) return;
  const { clipboardData } = detail;
  const images = [...clipboardData.files].filter(({ type }) => type.startsWith("image/"));
  insertPictures(editor, onPictures?.(images) ?? []);
}

function embed(event: Event, onEmbedded: Take | undefined): void {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  if (onEmbedded === undefined || typeof detail !== "object" || detail === null) return;
  if ("fragment" in detail && detail.fragment instanceof DocumentFragment && "html" in detail && typeof detail.html === "string") {
    takeEmbedded(detail.fragment, detail.html, onEmbedded);
  }
}

export function insertPictures(editor: Squire, pictures: readonly Picture[]): void {
  for (const { cid, address, name } of pictures) editor.insertImage(address, { "data-cid": cid, alt: name });
}
