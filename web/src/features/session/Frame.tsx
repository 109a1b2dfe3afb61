/** The page around signing in and registering. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { config } from "@/api/queries";
import { useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";

export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const words = useWords();
  const { data } = useQuery(config);
  return (
    <main className="scroll flex min-h-full flex-col items-center overflow-y-auto px-4 pt-[12vh] pb-8">
      <p className="mb-6 text-14 font-semibold tracking-tight">{words("app.name")}</p>
      <div className="w-full max-w-96 rounded-l border border-line bg-surface p-7 max-md:p-5">
        <h1 className="mb-5 text-20 font-semibold tracking-tight">{title}</h1>
        {data?.secure === false && (
          <div className="mb-4">
            <Notice tone="warn">{words("session.needs_tls")}</Notice>
          </div>
        )}
        {children}
      </div>
    </main>
  );
}
