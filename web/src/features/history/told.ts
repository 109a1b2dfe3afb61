/** An entry of the history in words: what was done, and by whom. */
import type { Account, Entry } from "@/api/schema";
import type { Words } from "@/ui/i18n";

const MARKS: Record<string, ["history.starred" | "history.read" | "history.answered", "history.unstarred" | "history.unread" | "history.flags"]> = {
  "\\Flagged": ["history.starred", "history.unstarred"],
  "\\Seen": ["history.read", "history.unread"],
  "\\Answered": ["history.answered", "history.flags"],
};

export function whatOf(words: Words, entry: Entry, accounts: readonly Account[]): string {
  if (entry.kind === "delete") return words("history.deleted");
  if (entry.kind === "flags") return marked(words, entry);
  const mailbox = accounts.flatMap(({ mailboxes }) => mailboxes).find(({ id }) => id === entry.target?.id);
  switch (mailbox?.special_use) {
    case "archive":
    case "all":
      return words("history.archived");
    case "trash":
      return words("history.trashed");
    case "junk":
      return words("history.junked");
    case "inbox":
      return words("history.moved", { where: words("nav.inbox") });
    default:
      return words("history.moved", { where: entry.target?.path ?? "—" });
  }
}

function marked(words: Words, { add, remove }: Entry): string {
  const said = [
    ...add.map((flag) => MARKS[flag]?.[0] ?? ("history.flags" as const)),
    ...remove.map((flag) => MARKS[flag]?.[1] ?? ("history.flags" as const)),
  ];
  return [...new Set(said)].map((key) => words(key)).join(", ");
}

export function whoOf(words: Words, { by }: Entry): string {
  const [kind = "", name = ""] = by.split(/:(.*)/su);
  if (kind === "rule") return words("history.by_rule", { name });
  if (kind === "plugin") return words("history.by_plugin", { name });
  return words(kind === "undo" ? "history.by_undo" : "history.by_you");
}
