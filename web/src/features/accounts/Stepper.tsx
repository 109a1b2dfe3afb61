/** Where the reader is: address, check, reading. */
import { Fragment } from "react";

import { classes } from "@/ui/classes";
import { type Key, useWords } from "@/ui/i18n";

const STEPS: readonly Key[] = ["wizard.address", "wizard.check", "wizard.reading"];

export function Stepper({ current }: { current: 1 | 2 | 3 }) {
  const words = useWords();
  return (
    <ol className="flex items-center gap-2 text-13" aria-label={words("accounts.new")}>
      {STEPS.map((label, index) => {
        const reached = index < current;
        return (
          <Fragment key={label}>
            {index > 0 && <li aria-hidden className="h-px flex-1 bg-line" />}
            <li aria-current={index + 1 === current ? "step" : undefined} className="flex items-center gap-2">
              <span
                className={classes(
                  "inline-flex size-[22px] items-center justify-center rounded-full border text-11 font-semibold tabular-nums",
                  reached ? "border-transparent bg-accent text-on-accent" : "border-line text-text2",
                )}
              >
                {index + 1}
              </span>
              <span className={index + 1 === current ? "font-semibold" : "text-text2"}>{words(label)}</span>
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}
