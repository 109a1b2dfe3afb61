/** The second step: what was found is tested at once, put right by hand where it must be, and added when it works. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";

import { connectAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account, NewAccount } from "@/api/schema";
import { type Candidate, type Check, discovery, type Found, testAccount, type Trial } from "@/api/wizard";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Checks } from "./Checks";
import { accountOf, type Draft, draftOf, trialOf, type Who } from "./draft";
import { FoundServers } from "./FoundServers";
import { HowWeLooked } from "./HowWeLooked";
import { ManualServers } from "./ManualServers";
import { Refusal } from "./Refusal";
import { SourceBadge } from "./SourceBadge";

interface CheckStepProps {
  who: Who;
  onChange: (who: Who) => void;
  onBack: () => void;
  onConnected: (account: Account) => void;
}

export function CheckStep(props: CheckStepProps) {
  const words = useWords();
  const { email } = props.who;
  const { data, error, isPending } = useQuery(discovery(email));
  return (
    <section className="rounded-l border border-line bg-surface p-7 max-md:p-5">
      <h1 className="text-20 font-semibold tracking-tight break-words">{words("wizard.connect", { email })}</h1>
      {isPending && (
        <p className="mt-1 text-13 text-text2" role="status">
          {words("wizard.looking")}
        </p>
      )}
      {error !== null && (
        <div className="mt-3">
          <Notice tone="warn">{explain(words, error)}</Notice>
        </div>
      )}
      {!isPending && <Servers key={email} found={data} {...props} />}
    </section>
  );
}

function Servers({ found, who, onChange, onBack, onConnected }: CheckStepProps & { found: Found | undefined }) {
  const words = useWords();
  const candidate = found?.candidates[0];
  const [draft, setDraft] = useState(() => draftOf(who.email, candidate));
  const [byHand, setByHand] = useState(candidate === undefined);
  const test = useTest(() => setByHand(true));
  const adding = useAdding(onConnected);
  const passed = test.data?.every((check) => check.code === null) ?? false;
  const busy = test.isPending || adding.isPending;

  useOnce(candidate !== undefined, () => test.mutate(trialOf(draft, who.password)));

  /** What was tested is not what stands there any more. */
  const change = (to: Draft) => {
    setDraft(to);
    test.reset();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (passed) adding.mutate(accountOf(who, draft));
    else test.mutate(trialOf(draft, who.password));
  };

  return (
    <form onSubmit={submit} aria-busy={busy}>
      <p className="mt-1 text-13 text-text2">{words(candidate === undefined ? "wizard.found_nothing" : "wizard.found")}</p>
      <fieldset disabled={busy} className="mt-4 flex flex-col gap-4">
        {candidate !== undefined && (
          <div>
            <SourceBadge candidate={candidate} />
          </div>
        )}
        {candidate?.foreign === true && <Notice tone="warn">{words("wizard.foreign", { hosts: hostsOf(candidate) })}</Notice>}
        {byHand ? <ManualServers draft={draft} onChange={change} /> : <FoundServers draft={draft} />}
        <Field
          label={words("accounts.password")}
          hint={words("accounts.password_hint")}
          type="password"
          name="password"
          autoComplete="off"
          required
          value={who.password}
          onChange={(event) => {
            onChange({ ...who, password: event.target.value });
            test.reset();
          }}
        />
      </fieldset>
      <div className="mt-4 flex flex-col gap-3" aria-live="polite">
        {test.isPending && <p className="text-13 text-text2">{words("accounts.testing")}</p>}
        {test.data !== undefined && <Checks checks={test.data} candidate={candidate} />}
        {test.error !== null && <Notice tone="danger">{explain(words, test.error)}</Notice>}
        {adding.error !== null && <Refusal error={adding.error} />}
      </div>
      <div className="mt-5 flex flex-wrap gap-2">
        {passed ? (
          <Button key="add" type="submit" look="primary" autoFocus disabled={busy}>
            {words(adding.isPending ? "wizard.adding" : "wizard.add")}
          </Button>
        ) : (
          <Button key="test" type="submit" look="primary" disabled={busy}>
            {words(test.isIdle ? "wizard.test" : "wizard.test_again")}
          </Button>
        )}
        {!byHand && (
          <Button disabled={busy} onClick={() => setByHand(true)}>
            {words("wizard.edit")}
          </Button>
        )}
        <Button disabled={busy} onClick={onBack}>
          {words("wizard.back")}
        </Button>
        {found !== undefined && found.steps.length > 0 && <HowWeLooked steps={found.steps} />}
      </div>
    </form>
  );
}

function useTest(onFailed: () => void) {
  return useMutation<Check[], ApiError, Trial>({
    mutationFn: testAccount,
    onSuccess: (checks) => {
      if (checks.some((check) => check.code !== null)) onFailed();
    },
  });
}

function useAdding(onConnected: (account: Account) => void) {
  const cache = useQueryClient();
  return useMutation<Account, ApiError, NewAccount>({
    mutationFn: connectAccount,
    onSuccess: async (account) => {
      await cache.invalidateQueries({ queryKey: keys.accounts });
      onConnected(account);
    },
  });
}

/** Also where React runs effects twice. */
function useOnce(wanted: boolean, act: () => void) {
  const done = useRef(false);
  useEffect(() => {
    if (!wanted || done.current) return;
    done.current = true;
    act();
  });
}

function hostsOf({ imap, smtp }: Candidate): string {
  return [...new Set([imap.host, ...(smtp === null ? [] : [smtp.host])])].join(", ");
}
