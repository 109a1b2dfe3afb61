/** The user's passkeys. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { ApiError } from "@/api/errors";
import { passkeys, removePasskey, renamePasskey } from "@/api/identity";
import { addPasskey, passkeysWork } from "@/api/passkeys";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { browserOf } from "./browserOf";
import { Card } from "./Card";
import { Confirm } from "./Confirm";

export function Passkeys() {
  const words = useWords();
  const dates = useDates();
  const cache = useQueryClient();
  const { data = [] } = useQuery(passkeys);
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? "");
  const again = { onSuccess: async () => cache.invalidateQueries({ queryKey: passkeys.queryKey }) };
  const removing = useMutation<unknown, ApiError, string>({ mutationFn: removePasskey, ...again });
  const renaming = useMutation<unknown, ApiError, { id: string; name: string }>({ mutationFn: renamePasskey, ...again });
  const making = useMutation<unknown, ApiError, string>({
    mutationFn: async (password) => addPasskey({ password, name }),
    onSuccess: async () => {
      setAdding(false);
      await again.onSuccess();
    },
  });
  const error = removing.error ?? renaming.error;
  return (
    <Card title={words("security.passkeys")} text={words("security.passkeys_text")}>
      {data.length > 0 && (
        <ul className="flex flex-col gap-2">
          {data.map((key) => (
            <li key={key.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <input
                aria-label={words("security.passkey_name")}
                defaultValue={key.name}
                className="min-w-0 flex-1 rounded-s border border-transparent bg-transparent px-1 text-14 font-semibold hover:border-line focus:border-input"
                onBlur={({ target }) => {
                  const wanted = target.value.trim();
                  if (wanted === "") target.value = key.name;
                  else if (wanted !== key.name) renaming.mutate({ id: key.id, name: wanted });
                }}
              />
              <span className="text-12 text-text3">
                {key.last_used_at === null
                  ? words("security.passkey_unused")
                  : words("security.passkey_used", { when: dates.ago(key.last_used_at) })}
              </span>
              <Button look="danger" aria-label={words("security.passkey_remove", { name: key.name })} onClick={() => removing.mutate(key.id)}>
                {words("security.remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Notice tone="danger">{explain(words, error)}</Notice>}
      {adding && (
        <Confirm
          action={words("security.passkey_add")}
          doing={making}
          onConfirm={making.mutate}
          onCancel={() => {
            making.reset();
            setAdding(false);
          }}
        >
          <Field label={words("security.passkey_name")} required maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
        </Confirm>
      )}
      {!adding && passkeysWork() && (
        <Button className="self-start" onClick={() => setAdding(true)}>
          {words("security.passkey_add")}
        </Button>
      )}
      {!passkeysWork() && <p className="text-13 text-text3">{words("security.passkeys_impossible")}</p>}
    </Card>
  );
}
