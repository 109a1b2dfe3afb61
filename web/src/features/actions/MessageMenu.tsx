/** What can be done with one message of a conversation. */
import { Ellipsis } from "lucide-react";

import { discarding, judging, type Marks, reading, starring, useAct, type Verb } from "@/api/acting";
import type { Message } from "@/api/schema";
import type { View } from "@/api/view";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Menu, MenuItem } from "@/ui/Menu";

interface MessageMenuProps {
  message: Message;
  view: View;
  place: string | null;
}

export function MessageMenu({ message, view, place }: MessageMenuProps) {
  const words = useWords();
  const act = useAct();
  const marks: Marks = { starred: message.starred, unread: message.unread, place };
  const verbs: Verb[] = [starring(marks), reading(marks), "archive", "move", judging(marks), discarding(marks)];
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={words("act.message")} />}>
      {verbs.map((verb) => (
        <MenuItem key={verb} onSelect={() => act(verb, { view, threads: [message.thread_id], messages: [message] })}>
          {words(`act.verb.${verb}`)}
        </MenuItem>
      ))}
    </Menu>
  );
}
