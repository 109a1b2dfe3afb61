/** Each way of looking for the servers, and what came of it. The details are the looking worker's own words. */
import { Check, Minus, X } from "lucide-react";

import type { Step } from "@/api/wizard";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

const MARKS = { found: Check, nothing: Minus, failed: X } as const;

export function HowWeLooked({ steps }: { steps: readonly Step[] }) {
  const words = useWords();
  return (
    <details className="ml-auto self-center text-13 open:ml-0 open:basis-full max-md:ml-0 max-md:basis-full">
      <summary className="target cursor-pointer font-semibold">{words("wizard.how", { count: steps.length })}</summary>
      <ol className="mt-3 flex flex-col gap-2 rounded-m bg-bg p-3.5">
        {steps.map((step) => {
          const Mark = MARKS[step.status];
          return (
            <li key={step.method} className="grid grid-cols-[1.25rem_1fr_auto] gap-x-1 gap-y-0.5">
              <Mark
                size={14}
                role="img"
                aria-label={words(`wizard.step.${step.status}`)}
                className={classes("mt-1", step.status === "found" ? "text-accent" : "text-text3")}
              />
              <span>{words(`wizard.method.${step.method}`)}</span>
              <span className="text-12 text-text2 tabular-nums">{words("wizard.ms", { ms: step.ms })}</span>
              <span lang="en" className="col-start-2 break-words text-12 text-text2">
                {step.detail}
              </span>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
