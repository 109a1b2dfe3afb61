/** The wizard that connects an account (§9.3): address, check, and then the mailbox fills while it is read already. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useSearch } from "wouter";

import { accounts } from "@/api/queries";
import type { Account } from "@/api/schema";
import { isKey, useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";

import { AddressStep } from "./AddressStep";
import { CheckStep } from "./CheckStep";
import type { Who } from "./draft";
import { Stepper } from "./Stepper";
import { SyncProgress } from "./SyncProgress";

const NOBODY: Who = { email: "", name: "", password: "" };

export function NewAccountPage() {
  const [who, setWho] = useState(NOBODY);
  const [checking, setChecking] = useState(false);
  const [added, setConnected] = useState<Account | null>(null);
  const back = useBack();
  const connected = added ?? back.account ?? null;

  const check = () => {
    setWho({ ...who, email: who.email.trim() });
    setChecking(true);
  };
  return (
    <div className="flex flex-col gap-4">
      <Stepper current={connected !== null ? 3 : checking ? 2 : 1} />
      {connected !== null && <Reading account={connected} />}
      {connected === null && back.refusal !== null && <SignInRefusal code={back.refusal} />}
      {connected === null && !checking && <AddressStep who={who} onChange={setWho} onDone={check} />}
      {connected === null && checking && (
        <CheckStep who={who} onChange={setWho} onBack={() => setChecking(false)} onConnected={setConnected} />
      )}
    </div>
  );
}

/** What the browser brings back from a provider's page. */
function useBack() {
  const brought = new URLSearchParams(useSearch());
  const id = brought.get("connected");
  const account = useQuery({ ...accounts, enabled: id !== null }).data?.find((one) => one.id === id);
  return { account, refusal: brought.get("sign_in") };
}

function SignInRefusal({ code }: { code: string }) {
  const words = useWords();
  const keys = [`wizard.sign_in_refused.${code}`, `accounts.code.${code}`];
  const key = keys.find((one) => isKey(one)) ?? "wizard.sign_in_refused.sign_in_failed";
  return <Notice tone="danger">{isKey(key) && words(key)}</Notice>;
}

function Reading({ account }: { account: Account }) {
  const words = useWords();
  const start = useRef<HTMLAnchorElement>(null);
  useEffect(() => start.current?.focus(), []);
  const live = useQuery(accounts).data?.find(({ id }) => id === account.id) ?? account;
  return (
    <SyncProgress account={live}>
      <Link
        ref={start}
        href="/mail"
        className="target inline-flex items-center text-13 font-semibold text-accent hover:underline"
      >
        {words("accounts.start_reading")}
      </Link>
    </SyncProgress>
  );
}
