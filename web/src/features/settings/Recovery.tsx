/** Where links for a new password are sent. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { ApiError } from "@/api/errors";
import { forgetRecovery, recovery, setRecovery } from "@/api/identity";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import { Card } from "./Card";
import { Confirm } from "./Confirm";

export function Recovery() {
  const words = useWords();
  const cache = useQueryClient();
  const { data: email } = useQuery(recovery);
  const [doing, setDoing] = useState<"set" | "forget" | null>(null);
  const [wanted, setWanted] = useState("");
  const onSuccess = async () => {
    setDoing(null);
    setWanted("");
    await cache.invalidateQueries({ queryKey: recovery.queryKey });
  };
  const setting = useMutation<unknown, ApiError, string>({
    mutationFn: async (password) => setRecovery({ password, email: wanted.trim() }),
    onSuccess,
  });
  const forgetting = useMutation<unknown, ApiError, string>({ mutationFn: forgetRecovery, onSuccess });
  const start = (what: "set" | "forget" | null) => {
    setting.reset();
    forgetting.reset();
    setDoing(what);
  };
  if (email === undefined) return null;
  return (
    <Card
      title={words("security.recovery")}
      text={email === null ? words("security.recovery_none") : words("security.recovery_at", { email })}
    >
      {doing === "set" && (
        <Confirm action={words("security.recovery_save")} doing={setting} onConfirm={setting.mutate} onCancel={() => start(null)}>
          <Field
            label={words("security.recovery_email")}
            type="email"
            autoComplete="email"
            required
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </Confirm>
      )}
      {doing === "forget" && (
        <Confirm action={words("security.remove")} danger doing={forgetting} onConfirm={forgetting.mutate} onCancel={() => start(null)} />
      )}
      {doing === null && (
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => start("set")}>{words(email === null ? "security.recovery_set" : "security.recovery_change")}</Button>
          {email !== null && (
            <Button look="danger" onClick={() => start("forget")}>
              {words("security.remove")}
            </Button>
          )}
          <p role="status" className="text-12 text-text3">
            {setting.isSuccess && words("security.recovery_sent")}
          </p>
        </div>
      )}
    </Card>
  );
}
