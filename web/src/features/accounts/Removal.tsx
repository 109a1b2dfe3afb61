/** Removing an account, once its owner is sure. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { removeAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import type { PanelProps } from "./Manage";

export function Removal({ account, onClose }: PanelProps) {
  const words = useWords();
  const cache = useQueryClient();
  const removing = useMutation<unknown, ApiError>({
    mutationFn: async () => removeAccount(account.id),
    onSuccess: async () => cache.invalidateQueries(),
  });
  return (
    <div className="flex flex-col gap-2">
      <p className="text-13">{words("accounts.remove_sure", { email: account.email })}</p>
      {removing.error !== null && <Notice tone="danger">{explain(words, removing.error)}</Notice>}
      <div className="flex gap-2">
        <Button look="danger" disabled={removing.isPending} onClick={() => removing.mutate()}>
          {words("accounts.remove_yes")}
        </Button>
        <Button autoFocus onClick={onClose}>
          {words("accounts.cancel")}
        </Button>
      </div>
    </div>
  );
}
