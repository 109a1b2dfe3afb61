/** Where one can go: the views over all accounts, then each account with its mailboxes. */
import { useQuery } from "@tanstack/react-query";
import { Archive, File, History, Inbox, type LucideIcon, Plus, Send, Settings, ShieldAlert, Star, Trash2 } from "lucide-react";
import { Link, useLocation } from "wouter";

import { accounts as accountsQuery } from "@/api/queries";
import type { Account } from "@/api/schema";
import { SPECIALS, type Special, UNIFIED, type View, viewPath } from "@/api/view";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

import { AccountItem } from "./AccountItem";
import { NavLink } from "./NavLink";

const icons: Record<Special, LucideIcon> = {
  starred: Star,
  sent: Send,
  drafts: File,
  archive: Archive,
  junk: ShieldAlert,
  trash: Trash2,
};

/** `view` is null outside the mail. */
export function Sidebar({ view }: { view: View | null }) {
  const words = useWords();
  const { data: accounts = [] } = useQuery(accountsQuery);
  const [page] = useLocation();
  const here = view === null ? "" : viewPath(view);

  return (
    <div className="flex h-full flex-col">
      <nav aria-label={words("nav.label")} className="scroll min-h-0 flex-1 overflow-y-auto p-2">
        <ul>
          <NavLink
            href={viewPath(UNIFIED)}
            icon={Inbox}
            label={words("nav.inbox")}
            count={accounts.reduce((sum, account) => sum + account.unread, 0)}
            current={view?.kind === "unified"}
          />
          {SPECIALS.map((special) => {
            const path = viewPath({ kind: "special", special });
            return (
              <NavLink
                key={special}
                href={path}
                icon={icons[special]}
                label={words(`nav.${special}`)}
                count={countOf(special, accounts)}
                current={here === path}
              />
            );
          })}
        </ul>
        <h2 className="mt-4 mb-1 px-2.5 text-11 font-semibold tracking-wide text-text3 uppercase">{words("nav.accounts")}</h2>
        <ul>
          {accounts.map((account, index) => (
            <AccountItem key={account.id} account={account} index={index} view={view} />
          ))}
          <NavLink href="/settings/accounts/new" icon={Plus} label={words("nav.add_account")} quiet />
        </ul>
      </nav>
      <div className="mx-2 flex gap-3 border-t border-line py-2">
        <Place href="/mail" icon={Inbox} label={words("nav.mail")} current={view !== null} />
        <Place href="/mail/history" icon={History} label={words("history.title")} current={page === "/mail/history"} />
        <Place href="/settings/appearance" icon={Settings} label={words("nav.settings")} current={page.startsWith("/settings")} />
      </div>
    </div>
  );
}

/** Drafts and junk say how many there are; elsewhere a number would only worry. */
function countOf(special: Special, accounts: readonly Account[]): number {
  if (special !== "drafts" && special !== "junk") return 0;
  const boxes = accounts.flatMap((account) => account.mailboxes).filter((mailbox) => mailbox.special_use === special);
  return boxes.reduce((sum, mailbox) => sum + (special === "drafts" ? mailbox.total : mailbox.unread), 0);
}

function Place({ href, icon: Icon, label, current }: { href: string; icon: LucideIcon; label: string; current: boolean }) {
  return (
    <Link
      href={href}
      aria-label={label}
      title={label}
      aria-current={current ? "page" : undefined}
      className={classes(
        "target flex size-9 items-center justify-center rounded-m text-text2",
        current ? "bg-selected text-text" : "hover:bg-hover",
      )}
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden />
    </Link>
  );
}
