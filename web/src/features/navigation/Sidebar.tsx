/** Where one can go: the views over all accounts, then each account with its mailboxes. */
import { useQuery } from "@tanstack/react-query";
import { Archive, CircleAlert, File, History, Inbox, type LucideIcon, PenLine, Plus, Send as SendIcon, Settings, ShieldAlert, Star, Timer, Trash2 } from "lucide-react";
import { Link, useLocation } from "wouter";

import { useCountedAccounts } from "@/api/counts";
import { drafts as draftsQuery } from "@/api/drafts";
import type { Account, Send } from "@/api/schema";
import { openSends } from "@/api/sends";
import { SPECIALS, type Special, UNIFIED, type View, viewPath } from "@/api/view";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

import { AccountItem } from "./AccountItem";
import { NavLink } from "./NavLink";

const icons: Record<Special, LucideIcon> = {
  starred: Star,
  sent: SendIcon,
  drafts: File,
  archive: Archive,
  junk: ShieldAlert,
  trash: Trash2,
};

const OUTBOX = "/mail/outbox";

/** `view` is null outside the mail. */
export function Sidebar({ view, onWrite }: { view: View | null; onWrite: () => void }) {
  const words = useWords();
  const accounts = useCountedAccounts();
  const [page] = useLocation();
  const { data: drafts = [] } = useQuery(draftsQuery);
  const { data: open = [] } = useQuery(openSends);
  // What leaves within seconds is nothing to look after.
  const sends = open.filter(({ state, scheduled, reason }) => state !== "queued" || scheduled || reason !== "");
  const here = view === null ? "" : viewPath(view);
  const counts: Partial<Record<Special, number>> = {
    // Those that are on their way out are in the outbox.
    drafts: drafts.filter(({ outbox_id }) => outbox_id === null).length,
    junk: unreadJunk(accounts),
  };

  return (
    <div className="flex h-full flex-col">
      <div className="px-2 pt-2">
        <button
          type="button"
          title={`${words("compose.new")} (c)`}
          onClick={onWrite}
          className="target flex h-8.5 w-full items-center justify-center gap-2 rounded-m bg-accent text-14 font-semibold text-on-accent hover:brightness-110"
        >
          <PenLine size={15} strokeWidth={2} aria-hidden />
          {words("compose.new")}
        </button>
      </div>
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
                count={counts[special] ?? 0}
                counted={special === "drafts" ? "nav.drafts_count" : "nav.unread"}
                current={here === path}
              />
            );
          })}
          {(sends.length > 0 || page === OUTBOX) && <Outbox sends={sends} current={page === OUTBOX} />}
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
function unreadJunk(accounts: readonly Account[]): number {
  const boxes = accounts.flatMap((account) => account.mailboxes).filter((mailbox) => mailbox.special_use === "junk");
  return boxes.reduce((sum, mailbox) => sum + mailbox.unread, 0);
}

/** There only while something is in it. */
function Outbox({ sends, current }: { sends: readonly Send[]; current: boolean }) {
  const words = useWords();
  const trouble = sends.some(({ state }) => state === "failed" || state === "unconfirmed");
  return (
    <NavLink
      href={OUTBOX}
      label={words("nav.outbox")}
      count={sends.length}
      counted="nav.outbox_count"
      current={current}
      mark={
        trouble ? (
          <CircleAlert size={16} strokeWidth={1.75} role="img" aria-label={words("outbox.trouble")} className="text-danger" />
        ) : (
          <Timer size={16} strokeWidth={1.75} aria-hidden />
        )
      }
    />
  );
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
