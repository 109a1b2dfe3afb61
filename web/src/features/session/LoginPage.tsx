/** Signing in. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";

import { logIn } from "@/api/commands";
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
  const [handle, setHandle] = useState("");
  const [password, setPassword] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    entering.mutate({ handle: handle.trim(), password });
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
        {entering.error !== null && <Notice tone="danger">{explain(words, entering.error)}</Notice>}
        <Button type="submit" look="primary" disabled={entering.isPending} className="h-10">
          {words("session.log_in")}
        </Button>
      </form>
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
