/** A small form that asks for the password once more, and whatever else is needed, before something is done. */
import { type FormEvent, type ReactNode, useState } from "react";

import type { ApiError } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

interface ConfirmProps {
  action: string;
  danger?: boolean;
  doing: { isPending: boolean; error: ApiError | null };
  onConfirm: (password: string) => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Confirm({ action, danger = false, doing, onConfirm, onCancel, children }: ConfirmProps) {
  const words = useWords();
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm(password);
  };
  return (
    <form onSubmit={submit} className="flex max-w-80 flex-col gap-4">
      <Field
        label={words("security.your_password")}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {children}
      {doing.error !== null && <Notice tone="danger">{explain(words, doing.error)}</Notice>}
      <div className="flex gap-2">
        <Button type="submit" look={danger ? "danger" : "primary"} disabled={doing.isPending}>
          {action}
        </Button>
        <Button onClick={onCancel}>{words("security.cancel")}</Button>
      </div>
    </form>
  );
}
