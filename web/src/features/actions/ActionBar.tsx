/** The actions as buttons: in a bar above what is chosen, below it on a phone, and in a row under the pointer. */
import { Archive, FolderInput, type LucideIcon, Mail, MailOpen, ShieldAlert, ShieldCheck, Star, StarOff, Trash2 } from "lucide-react";

import { discarding, judging, type Marks, reading, starring, type Verb } from "@/api/acting";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";

const FACES: Record<Verb, { icon: LucideIcon; hint?: string }> = {
  archive: { icon: Archive, hint: "e" },
  trash: { icon: Trash2, hint: "#" },
  delete: { icon: Trash2, hint: "#" },
  junk: { icon: ShieldAlert, hint: "!" },
  not_junk: { icon: ShieldCheck, hint: "!" },
  star: { icon: Star, hint: "s" },
  unstar: { icon: StarOff, hint: "s" },
  read: { icon: MailOpen },
  unread: { icon: Mail, hint: "U" },
  move: { icon: FolderInput, hint: "v" },
};

interface ActionButtonsProps {
  marks: Marks;
  ask: (verb: Verb) => void;
  /** For the room in a row: only what is done most. */
  few?: boolean;
  className?: string;
}

export function ActionButtons({ marks, ask, few = false, className }: ActionButtonsProps) {
  const words = useWords();
  const verbs: Verb[] = [
    ...(marks.place === "archive" ? [] : (["archive"] as const)),
    discarding(marks),
    ...(few ? [] : [judging(marks)]),
    starring(marks),
    reading(marks),
    ...(few ? [] : (["move"] as const)),
  ];
  return verbs.map((verb) => (
    <IconButton
      key={verb}
      icon={FACES[verb].icon}
      label={words(`act.verb.${verb}`)}
      {...(FACES[verb].hint !== undefined && { hint: FACES[verb].hint })}
      {...(className !== undefined && { className })}
      onClick={() => ask(verb)}
    />
  ));
}
