/** Creating an account on this server; time zone and language come from the browser, an invitation from the link that led here. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";

import { register } from "@/api/commands";
import { config } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { languageOfBrowser, useWords, zoneOfBrowser } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Frame } from "./Frame";
import { linkToken } from "./linkToken";
import { useEnter } from "./useEnter";

const ABOUT_HANDLE = new Set(["handle_taken", "invalid_handle", "reserved_handle"]);

export function RegisterPage() {
  const words = useWords();
  const server = useQuery(config).data;
  const entering = useEnter(register, "/settings/accounts/new");
  const [localpart, setLocalpart] = useState("");
  const [password, setPassword] = useState("");
  const [invitation] = useState(linkToken);
  const { error } = entering;
  const shut = server?.registration === "closed" || (server?.registration === "invite" && invitation === "");
  const said = error === null ? "" : explain(words, error);
  const aboutHandle = error !== null && ABOUT_HANDLE.has(error.code);
  const aboutPassword = error?.code === "weak_password";

  const submit = (event: FormEvent) => {
    event.preventDefault();
    entering.mutate({ localpart: localpart.trim(), password, tz: zoneOfBrowser(), language: languageOfBrowser(), invitation });
  };

  return (
    <Frame title={words("session.register")}>
      {shut ? (
        <Notice tone="warn">{words(server.registration === "closed" ? "session.closed" : "session.invite_only")}</Notice>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label={words("session.handle")}
            hint={server === undefined ? words("session.register_hint") : `${localpart || "…"}@${server.app_domain}`}
            error={aboutHandle && said}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            autoFocus
            value={localpart}
            onChange={(event) => setLocalpart(event.target.value)}
          />
          <Field
            label={words("session.password")}
            hint={words("session.password_hint")}
            error={aboutPassword && said}
            name="password"
            type="password"
            autoComplete="new-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {error !== null && !aboutHandle && !aboutPassword && <Notice tone="danger">{said}</Notice>}
          <Button type="submit" look="primary" disabled={entering.isPending} className="h-10">
            {words("session.register")}
          </Button>
        </form>
      )}
      <p className="mt-5 text-13 text-text2">
        {words("session.have_one")}{" "}
        <Link href="/login" className="font-semibold text-accent hover:underline">
          {words("session.log_in")}
        </Link>
      </p>
    </Frame>
  );
}
