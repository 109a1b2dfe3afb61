/** What a writer has to know at once, with the ways on. */
import type { ReactNode } from "react";

import { Notice } from "@/ui/Notice";

export function Told({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Notice tone="warn">
      <p role="alert" className="mb-2">
        {text}
      </p>
      <span className="flex flex-wrap gap-2">{children}</span>
    </Notice>
  );
}
