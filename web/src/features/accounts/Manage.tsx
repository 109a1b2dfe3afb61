/** What can be done with an account: edit it, pause it, connect it again, remove it. One of these is open at a time. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { changeAccount } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account } from "@/api/schema";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { EditAccount } from "./EditAccount";
import { Identities } from "./Identities";
import { Reconnect } from "./Reconnect";
import { Removal } from "./Removal";
import { doorOf, SignIn } from "./SignIn";

const PANELS = { reconnect: Reconnect, edit: EditAccount, identities: Identities, remove: Removal };

type Panel = keyof typeof PANELS;

/** What a panel is given; `onClose` gives the focus back to the button that opened it. */
export interface PanelProps {
  account: Account;
  onClose: () => void;
}

export function Manage({ account }: { account: Account }) {
  const words = useWords();
  const [open, setOpen] = useState<Panel | null>(null);
  const openers = useRef<Partial<Record<Panel, HTMLButtonElement | null>>>({});
  const pausing = usePausing(account);
  const door = doorOf(account.imap.auth);
  const look = account.state === "reconnect_required" ? "primary" : "plain";
  const Opened = open === null ? null : PANELS[open];

  const close = () => {
    if (open !== null) openers.current[open]?.focus();
    setOpen(null);
  };
  const opener = (panel: Panel) => ({
    ref: (button: HTMLButtonElement | null) => {
      openers.current[panel] = button;
    },
    "aria-expanded": open === panel,
    onClick: () => setOpen(open === panel ? null : panel),
  });

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        {door === undefined ? (
          <Button look={look} {...opener("reconnect")}>
            {words("accounts.reconnect")}
          </Button>
        ) : (
          <SignIn wish={{ provider: door, email: account.email, display_name: account.display_name }} look={look} />
        )}
        <Button {...opener("edit")}>{words("accounts.edit")}</Button>
        <Button {...opener("identities")}>{words("identities.title")}</Button>
        <Button disabled={pausing.isPending} onClick={() => pausing.mutate()}>
          {words(account.paused ? "accounts.resume" : "accounts.pause")}
        </Button>
        <Button {...opener("remove")}>{words("accounts.remove")}</Button>
      </div>
      {pausing.error !== null && <Notice tone="danger">{explain(words, pausing.error)}</Notice>}
      {Opened !== null && <Opened account={account} onClose={close} />}
    </div>
  );
}

function usePausing(account: Account) {
  const cache = useQueryClient();
  return useMutation<unknown, ApiError>({
    mutationFn: async () => changeAccount(account.id, { paused: !account.paused }),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.accounts }),
  });
}
