/** Choosing a new password by a link. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";

import type { ApiError } from "@/api/errors";
import { resetPassword } from "@/api/identity";
import { keys } from "@/api/keys";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Frame } from "./Frame";
import { linkToken } from "./linkToken";

export function ResetPage() {
  const words = useWords();
  const cache = useQueryClient();
  const [token] = useState(linkToken);
  const [password, setPassword] = useState("");
  // Whoever was signed in here is so no more.
  const resetting = useMutation<unknown, ApiError, string>({
    mutationFn: async (chosen) => resetPassword({ token, new_password: chosen }),
    onSuccess: () => cache.setQueryData(keys.me, null),
  });
  const { error } = resetting;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    resetting.mutate(password);
  };

  return (
    <Frame title={words("session.reset")}>
      {resetting.isSuccess ? (
        <p role="status">{words("session.reset_done")}</p>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label={words("session.new_password")}
            hint={words("session.password_hint")}
            error={error?.code === "weak_password" && explain(words, error)}
            name="password"
            type="password"
            autoComplete="new-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {error !== null && error.code !== "weak_password" && <Notice tone="danger">{explain(words, error)}</Notice>}
          <Button type="submit" look="primary" disabled={resetting.isPending} className="h-10">
            {words("session.reset_save")}
          </Button>
        </form>
      )}
      <p className="mt-5 text-13">
        <Link href="/login" className="font-semibold text-accent hover:underline">
          {words("session.log_in")}
        </Link>
      </p>
    </Frame>
  );
}
