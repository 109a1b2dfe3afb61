/** One matter of a settings page. */
import type { ReactNode } from "react";

export function Card({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h2 className="text-16 font-semibold tracking-tight">{title}</h2>
      {text !== undefined && <p className="mt-1 text-13 text-text2">{text}</p>}
      <div className="mt-4 flex flex-col gap-4">{children}</div>
    </section>
  );
}
