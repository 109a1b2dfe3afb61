/** The sender of a mailing list offers to stop (RFC 2369): on a page of theirs, or by a mail. */
import { useComposing } from "@/api/composing";
import type { Message } from "@/api/schema";
import { useWords } from "@/ui/i18n";

import { readMailto } from "./mailto";

const FACE = "target inline-flex shrink-0 items-center rounded-s bg-hover px-1.5 text-12 text-text2 hover:text-text hover:underline";

export function Unsubscribe({ message }: { message: Message }) {
  const words = useWords();
  const { compose } = useComposing();
  const { https, mailto } = message.list_unsubscribe ?? { https: null, mailto: null };
  if (https !== null) {
    return (
      <a href={https} target="_blank" rel="noopener noreferrer" title={words("message.unsubscribe_page")} className={FACE}>
        {words("message.unsubscribe")}
      </a>
    );
  }
  const wish = mailto === null ? null : readMailto(mailto);
  if (wish === null) return null;
  return (
    <button type="button" title={words("message.unsubscribe_mail")} onClick={() => compose({ kind: "new", account: message.account_id, ...wish })} className={FACE}>
      {words("message.unsubscribe")}
    </button>
  );
}
