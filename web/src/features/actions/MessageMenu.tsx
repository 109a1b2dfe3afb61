/** What can be done with one message of a conversation. */
import { Ellipsis } from "lucide-react";

import { discarding, judging, type Marks, reading, starring, type Verb } from "@/api/acting";
import type { Message } from "@/api/schema";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Menu, MenuItem } from "@/ui/Menu";

interface MessageMenuProps {
  message: Message;
  place: string | null;
  ask: (verb: Verb, message: Message) => void;
}

export function MessageMenu({ message, place, ask }: MessageMenuProps) {
  const words = useWords();
  const marks: Marks = { starred: message.starred, unread: message.unread, place };
  const verbs: Verb[] = [starring(marks), reading(marks), "archive", "move", judging(marks), discarding(marks)];
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={words("act.message")} />}>
      {verbs.map((verb) => (
        <MenuItem key={verb} onSelect={() => ask(verb, message)}>
          {words(`act.verb.${verb}`)}
        </MenuItem>
      ))}
    </Menu>
  );
}
