/** Whether everything that the server holds is here, and when that was last compared. */
import { CircleCheck, TriangleAlert } from "lucide-react";

import type { Account } from "@/api/schema";
import { classes } from "@/ui/classes";
import { useDates, useWords } from "@/ui/i18n";

export function Proof({ proof }: { proof: Account["proof"] }) {
  const words = useWords();
  const dates = useDates();
  if (proof === null) return null;
  const { held, on_server: total, checked_at: checked, equal, repaired, repaired_at: repairedAt } = proof;
  const Mark = equal ? CircleCheck : TriangleAlert;
  return (
    <p className={classes("mt-1 flex items-center gap-1.5 text-12", equal ? "text-accent" : "text-warn")}>
      <Mark size={14} role="img" aria-label={words(equal ? "accounts.proof.equal" : "accounts.proof.differs")} />
      <span title={dates.full(checked)}>
        {words("accounts.proof", { held, total, when: dates.ago(checked) })}
        {repairedAt !== null && ` · ${words("accounts.proof.repaired", { count: repaired, when: dates.brief(repairedAt) })}`}
      </span>
    </p>
  );
}
