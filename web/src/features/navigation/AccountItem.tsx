/** An account in the sidebar, with its mailboxes folded under it. */
import { ChevronRight, CircleAlert, Folder } from "lucide-react";
import { useState } from "react";

import type { Account, Mailbox } from "@/api/schema";
import { type View, viewPath } from "@/api/view";
import { classes } from "@/ui/classes";
import { accountColor } from "@/ui/color";
import { useWords } from "@/ui/i18n";

import { NavLink } from "./NavLink";

interface AccountItemProps {
  account: Account;
  index: number;
  view: View | null;
}

export function AccountItem({ account, index, view }: AccountItemProps) {
  const words = useWords();
  const inside = view?.kind === "mailbox" && view.account === account.id;
  const [unfolded, setUnfolded] = useState(inside);
  const open = unfolded || inside;
  const name = account.display_name || account.email;
  const trouble = account.state === "error" || account.state === "reconnect_required";
  const mailboxes = account.mailboxes.filter((mailbox) => mailbox.selectable);

  return (
    <>
      <NavLink
        href={viewPath({ kind: "account", account: account.id })}
        label={name}
        count={account.unread}
        current={view?.kind === "account" && view.account === account.id}
        mark={
          trouble ? (
            <CircleAlert size={15} role="img" aria-label={words(`accounts.state.${account.state}`)} className="text-danger" />
          ) : (
            <span aria-hidden className="size-2 rounded-full" style={{ background: accountColor(account.color, index) }} />
          )
        }
      >
        {mailboxes.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            aria-label={words(open ? "nav.collapse" : "nav.expand", { name })}
            onClick={(event) => {
              event.stopPropagation();
              setUnfolded(!open);
            }}
            className={classes(
              "absolute top-0 -left-1.5 flex h-full w-4 items-center justify-center rounded-s text-text3 hover:text-text",
              "opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 aria-expanded:opacity-100",
              "pointer-coarse:w-11 pointer-coarse:justify-start pointer-coarse:opacity-100",
            )}
          >
            <ChevronRight size={12} aria-hidden className={classes("transition-transform", open && "rotate-90")} />
          </button>
        )}
      </NavLink>
      {open &&
        mailboxes.map((mailbox) => {
          const target: View = { kind: "mailbox", account: account.id, mailbox: mailbox.id };
          return (
            <NavLink
              key={mailbox.id}
              href={viewPath(target)}
              icon={Folder}
              label={mailbox.special_use === null ? mailbox.name : words(`nav.${mailbox.special_use}`)}
              count={mailbox.unread}
              current={inside && view.mailbox === mailbox.id}
              style={{ paddingInlineStart: `${22 + 12 * depth(mailbox)}px` }}
            />
          );
        })}
    </>
  );
}

function depth(mailbox: Mailbox): number {
  return mailbox.delimiter === null ? 0 : Math.min(4, mailbox.path.split(mailbox.delimiter).length - 1);
}
