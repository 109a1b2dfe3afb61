/** The reader's own menu. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Columns2, Keyboard, LogOut, Rows3, Settings } from "lucide-react";
import { useLocation } from "wouter";

import { logOut } from "@/api/commands";
import { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import { leaveForGood } from "@/api/session";
import { saveEverywhere, tellLeft } from "@/api/tabs";
import { initials } from "@/ui/Avatar";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { useNarrow } from "@/ui/media";
import { Menu, MenuItem, MenuNote } from "@/ui/Menu";
import { useToast } from "@/ui/Toast";

import { setPanes, usePanes } from "./panes";

/** Seconds that it is said why somebody is still signed in. */
const REFUSAL = 30;

export function UserMenu({ handle, onKeys }: { handle: string; onKeys: () => void }) {
  const words = useWords();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const panes = usePanes();
  const narrow = useNarrow();
  const toast = useToast();
  /** `anyway`: also when something could not be saved. */
  const leaving = useMutation<unknown, Error, { anyway: boolean }>({
    mutationFn: async ({ anyway }) => {
      if ((await saveEverywhere()) || anyway) await logOut();
      else throw new Error("unsaved");
    },
    onError: (error) => {
      const again = { label: words("session.leave_anyway"), run: () => leaving.mutate({ anyway: true }) };
      if (error instanceof ApiError) toast({ text: words("session.still_here", { why: explain(words, error) }), tone: "danger", seconds: REFUSAL });
      else toast({ text: words("session.unsaved"), tone: "danger", seconds: REFUSAL, action: again });
    },
    onSuccess: () => {
      leaveForGood();
      tellLeft();
      // First the address, while somebody is still signed in: the other way round /login would lead back into the mail.
      go("/mail", { replace: true });
      cache.setQueryData(keys.me, null);
    },
  });
  const button = (
    <button
      type="button"
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-full bg-selected text-12 font-semibold max-md:size-11"
    >
      <span aria-hidden>{initials(handle.split("@")[0] ?? handle)}</span>
      <span className="sr-only">{words("nav.user", { handle })}</span>
    </button>
  );
  return (
    <Menu trigger={button}>
      <MenuNote>{handle}</MenuNote>
      {!narrow && (
        <MenuItem onSelect={() => setPanes(panes === "split" ? "flat" : "split")}>
          {panes === "split" ? <Rows3 size={15} aria-hidden /> : <Columns2 size={15} aria-hidden />}
          {words(panes === "split" ? "list.flat" : "list.split")}
        </MenuItem>
      )}
      <MenuItem onSelect={() => go("/settings/appearance")}>
        <Settings size={15} aria-hidden />
        {words("nav.settings")}
      </MenuItem>
      <MenuItem onSelect={onKeys}>
        <Keyboard size={15} aria-hidden />
        {words("keys.title")}
      </MenuItem>
      <MenuItem onSelect={() => leaving.mutate({ anyway: false })}>
        <LogOut size={15} aria-hidden />
        {words("session.log_out")}
      </MenuItem>
    </Menu>
  );
}
