/** Whom an account's mail can be from, each with a signature. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { ApiError } from "@/api/errors";
import { changeIdentity, removeIdentity } from "@/api/identities";
import { keys } from "@/api/keys";
import type { Identity } from "@/api/schema";
import { Button } from "@/ui/Button";
import { textOf } from "@/ui/editor/plain";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { IdentityForm } from "./IdentityForm";
import type { PanelProps } from "./Manage";

export function Identities({ account, onClose }: PanelProps) {
  const words = useWords();
  const [open, setOpen] = useState<Identity | "new" | null>(null);
  if (open !== null) {
    return <IdentityForm account={account} identity={open === "new" ? null : open} onDone={() => setOpen(null)} />;
  }
  return (
    <section aria-label={words("identities.title")} className="flex flex-col gap-3 rounded-m bg-bg p-4">
      <p className="text-13 text-text2">{words("identities.text")}</p>
      <ul className="flex flex-col gap-2">
        {account.identities.map((one) => (
          <Row key={one.id} identity={one} onEdit={() => setOpen(one)} />
        ))}
      </ul>
      <div className="flex gap-2">
        <Button autoFocus onClick={() => setOpen("new")}>
          {words("identities.add")}
        </Button>
        <Button onClick={onClose}>{words("app.close")}</Button>
      </div>
    </section>
  );
}

function Row({ identity, onEdit }: { identity: Identity; onEdit: () => void }) {
  const words = useWords();
  const cache = useQueryClient();
  const { name, email, signature, is_default: usual } = identity;
  const changing = useMutation<unknown, ApiError, "default" | "remove">({
    mutationFn: async (what) => (what === "default" ? changeIdentity(identity.id, { is_default: true }) : removeIdentity(identity.id)),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.accounts }),
  });
  const who = name === "" ? email : `${name} <${email}>`;
  return (
    <li className="flex flex-wrap items-center gap-2 rounded-m border border-line bg-surface px-3 py-2">
      <span className="min-w-48 flex-1">
        <span className="block truncate text-13 font-semibold">
          {who}
          {usual && <span className="ml-2 rounded-s bg-selected px-1.5 text-12 font-normal">{words("identities.default")}</span>}
        </span>
        <span className="block truncate text-12 text-text3">{textOf(signature).replace(/\s+/gu, " ") || words("identities.no_signature")}</span>
      </span>
      <Button aria-label={words("identities.edit_named", { who })} onClick={onEdit}>
        {words("accounts.edit")}
      </Button>
      {!usual && (
        <>
          <Button aria-label={words("identities.use_named", { who })} disabled={changing.isPending} onClick={() => changing.mutate("default")}>
            {words("identities.use")}
          </Button>
          <Button aria-label={words("identities.remove_named", { who })} disabled={changing.isPending} onClick={() => changing.mutate("remove")}>
            {words("security.remove")}
          </Button>
        </>
      )}
      {changing.error instanceof ApiError && <Notice tone="danger">{explain(words, changing.error)}</Notice>}
    </li>
  );
}
