/** The name and colour by which an account is known here. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { changeAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import type { PanelProps } from "./Manage";

export function EditAccount({ account, onClose }: PanelProps) {
  const words = useWords();
  const cache = useQueryClient();
  const [name, setName] = useState(account.display_name);
  const [color, setColor] = useState(account.color);
  const saving = useMutation<unknown, ApiError>({
    mutationFn: async () => changeAccount(account.id, { display_name: name.trim(), ...(color === "" ? {} : { color }) }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: keys.accounts });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form className="flex flex-col gap-3 rounded-m bg-bg p-4" aria-label={words("accounts.edit")} onSubmit={submit}>
      <div className="grid grid-cols-[1fr_6rem] gap-3">
        <Field label={words("accounts.name")} autoFocus maxLength={1000} value={name} onChange={(event) => setName(event.target.value)} />
        <Field label={words("accounts.color")} type="color" value={color} onChange={(event) => setColor(event.target.value)} />
      </div>
      {saving.error !== null && <Notice tone="danger">{explain(words, saving.error)}</Notice>}
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {words("accounts.save")}
        </Button>
        <Button onClick={onClose}>{words("accounts.cancel")}</Button>
      </div>
    </form>
  );
}
