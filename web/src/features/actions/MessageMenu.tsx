/** What can be done with one message of a conversation. */
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";

import { discarding, judging, type Marks, reading, starring, type Verb } from "@/api/acting";
import { emlAddress, rawAddress, zipAddress } from "@/api/addresses";
import { useComposing } from "@/api/composing";
import type { Kind, Message } from "@/api/schema";
import { IconButton } from "@/ui/Button";
import { type Key, useWords } from "@/ui/i18n";
import { Menu, MenuItem, MenuLine, MenuLink } from "@/ui/Menu";

const Headers = lazy(async () => import("./Headers"));

const ANSWERS: readonly [Key, Exclude<Kind, "new">, boolean][] = [
  ["compose.reply", "reply", false],
  ["compose.reply_all", "reply_all", false],
  ["compose.forward", "forward", false],
  ["compose.forward_file", "forward", true],
];

interface MessageMenuProps {
  message: Message;
  place: string | null;
  ask: (verb: Verb, message: Message) => void;
}

export function MessageMenu({ message, place, ask }: MessageMenuProps) {
  const words = useWords();
  const marks: Marks = { starred: message.starred, unread: message.unread, place };
  const verbs: Verb[] = [starring(marks), reading(marks), "archive", "move", judging(marks), discarding(marks)];
  const { compose } = useComposing();
  const [headers, setHeaders] = useState(false);
  const files = message.attachments.filter(({ inline }) => !inline);
  return (
    <>
    <Menu trigger={<IconButton icon={Ellipsis} label={words("act.message")} />}>
      {!message.draft &&
        ANSWERS.map(([label, kind, asAttachment]) => (
          <MenuItem key={label} onSelect={() => compose({ kind, message: message.id, asAttachment })}>
            {words(label)}
          </MenuItem>
        ))}
      <MenuLine />
      {verbs.map((verb) => (
        <MenuItem key={verb} onSelect={() => ask(verb, message)}>
          {words(`act.verb.${verb}`)}
        </MenuItem>
      ))}
      <MenuLine />
      {files.length > 1 && <MenuLink href={zipAddress(message.id)}>{words("message.save_all")}</MenuLink>}
      <MenuLink href={emlAddress(message.id)}>{words("message.raw")}</MenuLink>
      <MenuLink href={rawAddress(message)} aside>
        {words("message.source")}
      </MenuLink>
      <MenuItem onSelect={() => setHeaders(true)}>{words("message.headers")}</MenuItem>
    </Menu>
    {headers && (
      <Suspense>
        <Headers message={message} onClose={() => setHeaders(false)} />
      </Suspense>
    )}
    </>
  );
}
