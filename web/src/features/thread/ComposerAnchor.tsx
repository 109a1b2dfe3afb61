/** The composer's place: always attached to the newest message (§9.4). */
import type { ReactNode } from "react";

import { useWords } from "@/ui/i18n";

export function ComposerAnchor({ children }: { children?: ReactNode }) {
  const words = useWords();
  return (
    <section data-composer-anchor aria-label={words("thread.composer")} className="not-empty:mt-2">
      {children}
    </section>
  );
}
