/** A rich text field of a form, with its buttons. Loaded when the first is shown. */
import { useState } from "react";

import { FormatBar } from "./FormatBar";
import { RichText } from "./RichText";
import type { Squire } from "./squire";

interface RichFieldProps {
  label: string;
  /** What it begins with. */
  html: string;
  onChange: (html: string) => void;
}

export default function RichField({ label, html, onChange }: RichFieldProps) {
  const [editor, setEditor] = useState<Squire | null>(null);
  return (
    <div>
      <p aria-hidden className="mb-1 text-13 font-semibold">
        {label}
      </p>
      <div className="rounded-m border border-input bg-surface">
        <RichText label={label} html={html} edition={0} onChange={onChange} onEditor={setEditor} className="px-3 py-2" />
        <div className="border-t border-line p-1">
          <FormatBar editor={editor} />
        </div>
      </div>
    </div>
  );
}
