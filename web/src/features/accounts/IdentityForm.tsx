/** The name, addresses and signature of one identity. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, lazy, Suspense, useState } from "react";

import type { ApiError } from "@/api/errors";
import { addIdentity, changeIdentity } from "@/api/identities";
import { keys } from "@/api/keys";
import type { Account, Identity } from "@/api/schema";
import { Button } from "@/ui/Button";
import { isBlank } from "@/ui/editor/plain";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

const RichField = lazy(async () => import("@/ui/editor/RichField"));

interface IdentityFormProps {
  account: Account;
  /** Null for another one. */
  identity: Identity | null;
  onDone: () => void;
}

export function IdentityForm({ account, identity, onDone }: IdentityFormProps) {
  const words = useWords();
  const cache = useQueryClient();
  const [name, setName] = useState(identity?.name ?? "");
  const [email, setEmail] = useState(identity?.email ?? account.email);
  const [replyTo, setReplyTo] = useState(identity?.reply_to ?? "");
  const [signature, setSignature] = useState(identity?.signature ?? "");
  const saving = useMutation<unknown, ApiError>({
    mutationFn: async () => {
      const body = { name: name.trim(), email: email.trim(), reply_to: replyTo.trim(), signature: isBlank(signature) ? "" : signature };
      return identity === null ? addIdentity(account.id, body) : changeIdentity(identity.id, body);
    },
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keys.accounts });
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form className="flex flex-col gap-3 rounded-m bg-bg p-4" aria-label={words("identities.one")} onSubmit={submit}>
      <div className="grid gap-3 md:grid-cols-2">
        <Field label={words("accounts.name")} autoFocus maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
        <Field label={words("accounts.email")} type="email" required maxLength={254} value={email} onChange={(event) => setEmail(event.target.value)} />
      </div>
      <Field
        label={words("identities.reply_to")}
        hint={words("identities.reply_to_hint")}
        type="email"
        maxLength={254}
        value={replyTo}
        onChange={(event) => setReplyTo(event.target.value)}
      />
      <Suspense>
        <RichField label={words("identities.signature")} html={identity?.signature ?? ""} onChange={setSignature} />
      </Suspense>
      {saving.error !== null && <Notice tone="danger">{explain(words, saving.error)}</Notice>}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {words("accounts.save")}
        </Button>
        <Button onClick={onDone}>{words("accounts.cancel")}</Button>
      </div>
    </form>
  );
}
