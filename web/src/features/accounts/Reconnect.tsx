/** Another password, or other servers: tried by sync, and kept only when they work. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { reconnectAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account, Servers } from "@/api/schema";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import { type Draft, trialOf } from "./draft";
import type { PanelProps } from "./Manage";
import { ManualServers } from "./ManualServers";
import { Refusal } from "./Refusal";
import { guess, type ServerDraft } from "./ServerFields";

export function Reconnect({ account, onClose }: PanelProps) {
  const words = useWords();
  const cache = useQueryClient();
  const [draft, setDraft] = useState(() => asItIs(account));
  const [password, setPassword] = useState("");
  const connecting = useMutation<unknown, ApiError>({
    mutationFn: async () => reconnectAccount(account.id, wished(account, draft, password)),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keys.accounts });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    connecting.mutate();
  };
  return (
    <form
      className="flex flex-col gap-4 rounded-m bg-bg p-4"
      aria-label={words("accounts.reconnect")}
      aria-busy={connecting.isPending}
      onSubmit={submit}
    >
      <Field
        label={words("accounts.password")}
        hint={words("accounts.password_hint")}
        type="password"
        name="password"
        autoComplete="off"
        autoFocus
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <details>
        <summary className="target cursor-pointer text-13 font-semibold">{words("accounts.servers")}</summary>
        <div className="mt-3">
          <ManualServers draft={draft} onChange={setDraft} />
        </div>
      </details>
      <div aria-live="polite">
        {connecting.isPending && <p className="text-13 text-text2">{words("accounts.testing")}</p>}
        {connecting.error !== null && <Refusal error={connecting.error} />}
      </div>
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={connecting.isPending}>
          {words("accounts.reconnect_now")}
        </Button>
        <Button onClick={onClose}>{words("accounts.cancel")}</Button>
      </div>
    </form>
  );
}

function asItIs({ email, imap, smtp }: Account): Draft {
  return {
    username: imap.username,
    imap: draftOf(imap),
    smtp: smtp === null ? guess("smtp", email) : draftOf(smtp),
    sends: smtp !== null,
  };
}

function draftOf({ host, port, tls }: Account["imap"]): ServerDraft {
  return { host, port: String(port), tls };
}

/** A name of its own at the outgoing server stays while the other is not changed. */
function wished(account: Account, draft: Draft, password: string): Servers {
  const { imap, smtp } = trialOf(draft, password);
  const own = imap.username === account.imap.username ? account.smtp?.username : undefined;
  return { imap, smtp: smtp && own !== undefined ? { ...smtp, username: own } : smtp };
}
