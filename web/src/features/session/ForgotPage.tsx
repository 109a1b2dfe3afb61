/** Asking for a link by which to choose a new password. */
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";

import type { ApiError } from "@/api/errors";
import { requestReset } from "@/api/identity";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Frame } from "./Frame";

export function ForgotPage() {
  const words = useWords();
  const asking = useMutation<unknown, ApiError, string>({ mutationFn: requestReset });
  const [handle, setHandle] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    asking.mutate(handle.trim());
  };

  return (
    <Frame title={words("session.forgot")}>
      {asking.isSuccess ? (
        <p role="status">{words("session.forgot_sent")}</p>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-13 text-text2">{words("session.forgot_text")}</p>
          <Field
            label={words("session.handle")}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            value={handle}
            onChange={(event) => setHandle(event.target.value)}
          />
          {asking.error !== null && <Notice tone="danger">{explain(words, asking.error)}</Notice>}
          <Button type="submit" look="primary" disabled={asking.isPending} className="h-10">
            {words("session.forgot_send")}
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
