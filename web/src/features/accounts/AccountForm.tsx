/** Connecting an account by typed settings; the sync worker tries them before anything is kept. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { connectAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account, NewAccount } from "@/api/schema";
import { Button } from "@/ui/Button";
import { Check, Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import { Refusal } from "./Refusal";
import { guess, type ServerDraft, ServerFields } from "./ServerFields";

export function AccountForm({ onConnected }: { onConnected: (account: Account) => void }) {
  const words = useWords();
  const cache = useQueryClient();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [username, setUsername] = useState<string | null>(null);
  const [password, setPassword] = useState("");
  const [imap, setImap] = useState<ServerDraft | null>(null);
  const [smtp, setSmtp] = useState<ServerDraft | null>(null);
  const [sends, setSends] = useState(true);

  const incoming = imap ?? guess("imap", email);
  const outgoing = smtp ?? guess("smtp", email);
  const connecting = useMutation<Account, ApiError, NewAccount>({
    mutationFn: connectAccount,
    onSuccess: async (account) => {
      await cache.invalidateQueries({ queryKey: keys.accounts });
      onConnected(account);
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const login = { username: username ?? email.trim(), password };
    const server = (draft: ServerDraft) => ({ host: draft.host.trim(), port: Number(draft.port), tls: draft.tls, ...login });
    connecting.mutate({
      email: email.trim(),
      display_name: name.trim(),
      imap: server(incoming),
      smtp: sends ? server(outgoing) : null,
    });
  };

  return (
    <form onSubmit={submit} aria-busy={connecting.isPending}>
      <fieldset disabled={connecting.isPending} className="flex flex-col gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <Field
            label={words("accounts.email")}
            type="email"
            name="email"
            autoComplete="email"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Field
            label={words("accounts.name")}
            name="name"
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Field
            label={words("accounts.username")}
            hint={words("accounts.username_hint")}
            name="username"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            value={username ?? email}
            onChange={(event) => setUsername(event.target.value)}
          />
          <Field
            label={words("accounts.password")}
            hint={words("accounts.password_hint")}
            type="password"
            name="password"
            autoComplete="off"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
        <ServerFields kind="imap" legend={words("accounts.incoming")} draft={incoming} onChange={setImap} />
        <Check label={words("accounts.with_smtp")} checked={sends} onChange={(event) => setSends(event.target.checked)} />
        {sends && <ServerFields kind="smtp" legend={words("accounts.outgoing")} draft={outgoing} onChange={setSmtp} />}
      </fieldset>
      {connecting.error !== null && <Refusal error={connecting.error} />}
      <div className="mt-5">
        <Button type="submit" look="primary" disabled={connecting.isPending}>
          {words(connecting.isPending ? "accounts.testing" : "accounts.connect")}
        </Button>
      </div>
    </form>
  );
}
