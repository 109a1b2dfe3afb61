/** What this provider wants its users to do first. */
import type { Candidate } from "@/api/wizard";
import { isKey, useWords } from "@/ui/i18n";

export function Help({ candidate }: { candidate: Candidate }) {
  const words = useWords();
  const key = `wizard.help.${candidate.help}`;
  return isKey(key) ? words(key, { origin: candidate.origin }) : null;
}
