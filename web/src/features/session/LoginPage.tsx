/** Signing in: by password, and a code where one is asked for; or by a passkey. */
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";

import { logIn } from "@/api/commands";
import { logInByPasskey, passkeysWork } from "@/api/passkeys";
import { config } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Frame } from "./Frame";
import { useEnter } from "./useEnter";

export function LoginPage({ destination }: { destination: string }) {
  const words = useWords();
  const server = useQuery(config).data;
  const entering = useEnter(logIn, destination);
  const byPasskey = useEnter<void>(logInByPasskey, destination);
  const [handle, setHandle] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [asksForCode, setAsksForCode] = useState(false);
  const error = byPasskey.error ?? (entering.error?.code === "code_required" ? null : entering.error);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    byPasskey.reset();
    entering.mutate(
      { handle: handle.trim(), password, ...(asksForCode && { code: code.trim() }) },
      { onError: ({ code: why }) => setAsksForCode(why === "code_required" || (why !== "invalid_credentials" && asksForCode)) },
    );
  };

  return (
    <Frame title={words("session.log_in")}>
      <form onSubmit={submit} className="flex flex-col gap-4">
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
        <Field
          label={words("session.password")}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {asksForCode && (
          <Field
            label={words("session.code")}
            hint={words("session.code_hint")}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        {error !== null && <Notice tone="danger">{explain(words, error)}</Notice>}
        <Button type="submit" look="primary" disabled={entering.isPending} className="h-10">
          {words("session.log_in")}
        </Button>
      </form>
      {passkeysWork() && (
        <Button className="mt-3 h-10 w-full" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          <KeyRound size={15} aria-hidden />
          {words("session.by_passkey")}
        </Button>
      )}
      {server?.recovery === true && (
        <p className="mt-5 text-13">
          <Link href="/forgot" className="font-semibold text-accent hover:underline">
            {words("session.forgot")}
          </Link>
        </p>
      )}
      {server?.registration === "open" && (
        <p className="mt-5 text-13 text-text2">
          {words("session.new_here")}{" "}
          <Link href="/register" className="font-semibold text-accent hover:underline">
            {words("session.register")}
          </Link>
        </p>
      )}
    </Frame>
  );
}
