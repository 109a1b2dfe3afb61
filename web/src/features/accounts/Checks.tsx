/** How the test went, line by line; where it failed, what the server said and what to do. */
import { Check as Tick, X } from "lucide-react";

import type { Candidate, Check } from "@/api/wizard";
import { isKey, useWords } from "@/ui/i18n";

import { Help } from "./Help";

export function Checks({ checks, candidate }: { checks: readonly Check[]; candidate: Candidate | undefined }) {
  const words = useWords();
  return (
    <ul className="flex flex-col gap-1.5 rounded-m bg-bg px-3.5 py-3 text-13" aria-label={words("wizard.checks")}>
      {checks.map((check) => (
        <li key={check.name} className="grid grid-cols-[1.25rem_1fr_auto] gap-x-1">
          {check.code === null ? (
            <Tick size={14} role="img" aria-label={words("wizard.good")} className="mt-0.5 text-accent" />
          ) : (
            <X size={14} role="img" aria-label={words("wizard.bad")} className="mt-0.5 text-danger" />
          )}
          {check.code === null ? (
            <span>{words(`wizard.check.${check.name}`)}</span>
          ) : (
            <Failure check={check} candidate={candidate} />
          )}
          <span className="text-12 text-text2 tabular-nums">{words("wizard.ms", { ms: check.ms })}</span>
        </li>
      ))}
    </ul>
  );
}

function Failure({ check, candidate }: { check: Check; candidate: Candidate | undefined }) {
  const words = useWords();
  const key = `accounts.code.${check.code}`;
  const atLogin = check.name === "imap_login" || check.name === "smtp_login";
  return (
    <div className="min-w-0">
      <p>
        {words(`wizard.check.${check.name}`)}: {isKey(key) ? words(key) : check.message}
      </p>
      {atLogin && candidate?.help && (
        <p className="mt-0.5">
          <Help candidate={candidate} />
        </p>
      )}
      {check.detail !== "" && (
        <p className="mt-0.5 break-words text-text2">
          {words("accounts.said")}: <q>{check.detail}</q>
        </p>
      )}
    </div>
  );
}
