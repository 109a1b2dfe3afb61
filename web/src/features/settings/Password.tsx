/** Another password; every other session ends with it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { ApiError } from "@/api/errors";
import { changePassword, sessions } from "@/api/identity";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

import { Card } from "./Card";
import { Confirm } from "./Confirm";

export function Password() {
  const words = useWords();
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState("");
  const changing = useMutation<unknown, ApiError, string>({
    mutationFn: async (password) => changePassword({ password, new_password: wanted }),
    onSuccess: async () => {
      setOpen(false);
      setWanted("");
      await cache.invalidateQueries({ queryKey: sessions.queryKey });
    },
  });
  return (
    <Card title={words("session.password")} text={words("security.password_text")}>
      {open ? (
        <Confirm action={words("security.change_password")} doing={changing} onConfirm={changing.mutate} onCancel={() => setOpen(false)}>
          <Field
            label={words("session.new_password")}
            hint={words("session.password_hint")}
            name="new-password"
            type="password"
            autoComplete="new-password"
            required
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </Confirm>
      ) : (
        <div className="flex items-center gap-3">
          <Button onClick={() => setOpen(true)}>{words("security.change_password")}</Button>
          <p role="status" className="text-12 text-text3">
            {changing.isSuccess && words("security.password_changed")}
          </p>
        </div>
      )}
    </Card>
  );
}
