/** The first step: an address and its password. The servers are looked for whenever typing pauses. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";

import { type Candidate, discovery, isAddress } from "@/api/wizard";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";

import type { Who } from "./draft";
import { SignIn, useDoor } from "./SignIn";
import { SourceBadge } from "./SourceBadge";
import { Help } from "./Help";

/** Milliseconds without a key that make a pause. */
const PAUSE = 600;

interface AddressStepProps {
  who: Who;
  onChange: (who: Who) => void;
  onDone: () => void;
}

export function AddressStep({ who, onChange, onDone }: AddressStepProps) {
  const words = useWords();
  const email = who.email.trim();
  const settled = usePaused(email);
  const { data, isFetching } = useQuery(discovery(settled));
  const candidate = settled === email ? data?.candidates[0] : undefined;
  const door = useDoor(candidate);
  const closed = candidate !== undefined && !takesPassword(candidate);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone();
  };

  return (
    <form onSubmit={submit} className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h1 className="text-20 font-semibold tracking-tight">{words("accounts.new")}</h1>
      <p className="mt-1 mb-5 text-13 text-text2">{words("wizard.address_text")}</p>
      <div className="flex flex-col gap-4">
        <div>
          <Field
            label={words("accounts.email")}
            type="email"
            name="email"
            autoComplete="email"
            required
            autoFocus
            value={who.email}
            onChange={(event) => onChange({ ...who, email: event.target.value })}
          />
          <div className="mt-1.5 min-h-6 text-12 text-text2" role="status">
            {isFetching && words("wizard.looking")}
            {!isFetching && candidate !== undefined && <SourceBadge candidate={candidate} />}
            {!isFetching && settled === email && data?.candidates.length === 0 && words("wizard.found_nothing_yet")}
          </div>
        </div>
        {door !== undefined && <SignIn wish={{ provider: door, email, display_name: who.name.trim() }} />}
        {closed && door === undefined && (
          <Notice tone="warn">{words("wizard.own_door", { origin: candidate.origin })}</Notice>
        )}
        {!closed && (
          <Field
            label={words("accounts.password")}
            hint={candidate?.help ? <Help candidate={candidate} /> : words("accounts.password_hint")}
            type="password"
            name="password"
            autoComplete="off"
            required
            value={who.password}
            onChange={(event) => onChange({ ...who, password: event.target.value })}
          />
        )}
        <Field
          label={words("wizard.name")}
          name="name"
          autoComplete="name"
          value={who.name}
          onChange={(event) => onChange({ ...who, name: event.target.value })}
        />
      </div>
      <div className="mt-5">
        <Button type="submit" look="primary" disabled={closed || !isAddress(email)}>
          {words("wizard.continue")}
        </Button>
      </div>
    </form>
  );
}

function takesPassword(candidate: Candidate): boolean {
  return candidate.auth.some((way) => way === "password" || way === "app_password");
}

/** The value as it was when it last stood still. */
function usePaused(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
