/** An account has no mailbox for what is asked: one is chosen or created, and then it is done. */
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import { chooseMailbox, createMailbox } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { accounts as accountsQuery } from "@/api/queries";
import { Button } from "@/ui/Button";
import { Choice, Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";
import { Sheet } from "@/ui/Sheet";

import type { Missing } from "./missing";

interface MissingMailboxProps {
  missing: Missing;
  onReady: () => void;
  onClose: () => void;
}

const NEW = "new";
/** Milliseconds between two looks, and how many there are before the gateway may say itself that it is not known yet. */
const PAUSE = 500;
const LOOKS = 40;

export default function MissingMailbox({ missing, onReady, onClose }: MissingMailboxProps) {
  const words = useWords();
  const cache = useQueryClient();
  const { use, account_id: id, candidates } = missing;
  const { data: accounts = [] } = useQuery(accountsQuery);
  const account = accounts.find((one) => one.id === id);
  const what = words(`nav.${use}`);
  const [chosen, setChosen] = useState(NEW);
  const [name, setName] = useState<string>(what);
  const making = useMutation<unknown, ApiError>({
    mutationFn: async () => {
      await (chosen === NEW ? createMailbox(id, name.trim(), use) : chooseMailbox(id, use, chosen));
      await known(cache, missing);
    },
    onSuccess: onReady,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  const options = [[NEW, words("act.missing.new")] as const, ...candidates.map((one) => [one.id, one.path] as const)];
  return (
    <Sheet title={words("act.missing.title", { what })} closeLabel={words("app.close")} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3 px-2">
        <p className="text-13 text-text2">{words("act.missing.text", { account: account?.email ?? "", what })}</p>
        <Choice label={words("act.missing.which")} value={chosen} options={options} onChange={setChosen} />
        {chosen === NEW && <Field label={words("act.missing.name")} required value={name} onChange={(event) => setName(event.target.value)} />}
        {making.error !== null && <Notice tone="danger">{explain(words, making.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words("accounts.cancel")}</Button>
          <Button type="submit" look="primary" disabled={making.isPending}>
            {words("act.missing.go_on")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

/** Sync tells of the mailbox's use a moment after it was chosen. */
async function known(cache: QueryClient, missing: Missing, looks = LOOKS): Promise<void> {
  const { account_id: id, use } = missing;
  const accounts = await cache.fetchQuery({ ...accountsQuery, staleTime: 0 });
  const there = accounts.some((account) => account.id === id && account.mailboxes.some((mailbox) => mailbox.special_use === use));
  if (there || looks <= 1) return;
  await new Promise((resolve) => {
    setTimeout(resolve, PAUSE);
  });
  await known(cache, missing, looks - 1);
}
