/** The secret for an authenticator app as a picture, and the first code as the proof that it arrived there. */
import { type FormEvent, useState } from "react";

import type { ApiError } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";

interface ProveAppProps {
  setup: { uri: string; qr: string; secret: string };
  doing: { isPending: boolean; error: ApiError | null };
  onProve: (code: string) => void;
  onCancel: () => void;
}

export function ProveApp({ setup, doing, onProve, onCancel }: ProveAppProps) {
  const words = useWords();
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onProve(code);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-13">{words("security.scan")}</p>
      <a href={setup.uri} className="self-start" aria-label={words("security.open_app")}>
        <img src={`data:image/svg+xml,${encodeURIComponent(setup.qr)}`} alt={words("security.qr")} width={196} height={196} className="rounded-m" />
      </a>
      <p className="text-13 text-text2">
        {words("security.or_type")} <code className="break-all text-text">{setup.secret.match(/.{1,4}/gu)?.join(" ")}</code>
      </p>
      <Field
        label={words("security.first_code")}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        className="max-w-80"
        error={doing.error !== null && explain(words, doing.error)}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="primary" disabled={doing.isPending}>
          {words("security.switch_on")}
        </Button>
        <Button onClick={onCancel}>{words("security.cancel")}</Button>
      </div>
    </form>
  );
}
