/** Who told the servers. */
import type { Candidate } from "@/api/wizard";
import { useWords } from "@/ui/i18n";

export function SourceBadge({ candidate }: { candidate: Candidate }) {
  const words = useWords();
  return (
    <span className="inline-flex max-w-full rounded-full bg-selected px-2.5 py-0.5 text-12 font-semibold text-accent">
      <span className="truncate">{words(`wizard.source.${candidate.source}`, { origin: candidate.origin })}</span>
    </span>
  );
}
