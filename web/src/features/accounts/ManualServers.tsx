/** The settings of both servers, filled in with the best guess, for whoever knows better. */
import { Check, Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import type { Draft } from "./draft";
import { ServerFields } from "./ServerFields";

export function ManualServers({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const words = useWords();
  return (
    <div className="flex flex-col gap-4">
      <Field
        label={words("accounts.username")}
        hint={words("accounts.username_hint")}
        name="username"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={draft.username}
        onChange={(event) => onChange({ ...draft, username: event.target.value })}
      />
      <ServerFields
        kind="imap"
        legend={words("accounts.incoming")}
        draft={draft.imap}
        onChange={(imap) => onChange({ ...draft, imap })}
      />
      <Check
        label={words("accounts.with_smtp")}
        checked={draft.sends}
        onChange={(event) => onChange({ ...draft, sends: event.target.checked })}
      />
      {draft.sends && (
        <ServerFields
          kind="smtp"
          legend={words("accounts.outgoing")}
          draft={draft.smtp}
          onChange={(smtp) => onChange({ ...draft, smtp })}
        />
      )}
    </div>
  );
}
