/** The reader's own menu. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Columns2, Keyboard, LogOut, Rows3, Settings } from "lucide-react";
import { useLocation } from "wouter";

import { logOut } from "@/api/commands";
import { keys } from "@/api/keys";
import { forgetCopies } from "@/api/session";
import { initials } from "@/ui/Avatar";
import { useWords } from "@/ui/i18n";
import { useNarrow } from "@/ui/media";
import { Menu, MenuItem, MenuNote } from "@/ui/Menu";

import { setPanes, usePanes } from "./panes";

export function UserMenu({ handle, onKeys }: { handle: string; onKeys: () => void }) {
  const words = useWords();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const panes = usePanes();
  const narrow = useNarrow();
  const leaving = useMutation({
    mutationFn: logOut,
    onSuccess: () => {
      forgetCopies();
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
      <MenuItem onSelect={() => leaving.mutate()}>
        <LogOut size={15} aria-hidden />
        {words("session.log_out")}
      </MenuItem>
    </Menu>
  );
}
