/** Two-step sign-in by an authenticator app: off, being set up, on. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { ApiError } from "@/api/errors";
import { disableTotp, enableTotp, renewRecoveryCodes, secondFactor, setUpTotp } from "@/api/identity";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import { Card } from "./Card";
import { Confirm } from "./Confirm";
import { ProveApp } from "./ProveApp";
import { RecoveryCodes } from "./RecoveryCodes";

type Doing = "set up" | "renew" | "disable" | null;

export function TwoStep() {
  const words = useWords();
  const cache = useQueryClient();
  const { data } = useQuery(secondFactor);
  const [doing, setDoing] = useState<Doing>(null);
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<string[] | null>(null);

  const finish = async (fresh: string[] | null) => {
    setCodes(fresh);
    setDoing(null);
    setCode("");
    await cache.invalidateQueries({ queryKey: secondFactor.queryKey });
  };
  const settingUp = useMutation<Awaited<ReturnType<typeof setUpTotp>>, ApiError, string>({
    mutationFn: setUpTotp,
    onSuccess: () => setDoing(null),
  });
  const proving = useMutation<string[], ApiError, string>({
    mutationFn: enableTotp,
    onSuccess: async (fresh) => {
      settingUp.reset();
      await finish(fresh);
    },
  });
  const renewing = useMutation<string[], ApiError, string>({
    mutationFn: async (password) => renewRecoveryCodes({ password, code }),
    onSuccess: finish,
  });
  const disabling = useMutation<unknown, ApiError, string>({
    mutationFn: async (password) => disableTotp({ password, code }),
    onSuccess: async () => finish(null),
  });
  const start = (what: Doing) => {
    for (const one of [settingUp, proving, renewing, disabling]) one.reset();
    setCodes(null);
    setDoing(what);
  };

  if (data === undefined) return null;
  const appCode = (
    <Field
      label={words("session.code")}
      hint={words("session.code_hint")}
      name="code"
      autoComplete="one-time-code"
      required
      value={code}
      onChange={(event) => setCode(event.target.value)}
    />
  );
  return (
    <Card title={words("security.two_step")} text={words(data.enabled ? "security.two_step_on" : "security.two_step_off")}>
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {settingUp.data !== undefined && <ProveApp setup={settingUp.data} doing={proving} onProve={proving.mutate} onCancel={() => start(null)} />}
      {doing === "set up" && (
        <Confirm action={words("security.continue")} doing={settingUp} onConfirm={settingUp.mutate} onCancel={() => start(null)} />
      )}
      {doing === "renew" && (
        <Confirm action={words("security.new_codes")} doing={renewing} onConfirm={renewing.mutate} onCancel={() => start(null)}>
          {appCode}
        </Confirm>
      )}
      {doing === "disable" && (
        <Confirm action={words("security.switch_off")} danger doing={disabling} onConfirm={disabling.mutate} onCancel={() => start(null)}>
          {appCode}
        </Confirm>
      )}
      {data.enabled && <p className="text-13 text-text2">{words("security.codes_left", { count: data.recovery_codes_left })}</p>}
      {doing === null && settingUp.data === undefined && (
        <div className="flex flex-wrap gap-2">
          {data.enabled ? (
            <>
              <Button onClick={() => start("renew")}>{words("security.new_codes")}</Button>
              <Button look="danger" onClick={() => start("disable")}>
                {words("security.switch_off")}
              </Button>
            </>
          ) : (
            <Button onClick={() => start("set up")}>{words("security.switch_on")}</Button>
          )}
        </div>
      )}
    </Card>
  );
}
