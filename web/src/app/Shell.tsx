/** What surrounds every page of someone who is signed in: header, sidebar, live updates, keys. */
import { Menu as MenuIcon, PenLine } from "lucide-react";
import { type ComponentType, lazy, Suspense, useState } from "react";
import { useLocation, useSearch } from "wouter";

import type { Me } from "@/api/schema";
import { useComposing } from "@/api/composing";
import { readAddress, type View } from "@/api/view";
import { Acting } from "@/features/actions/Acting";
import { Composing } from "@/features/composing/Composing";
import { Dock } from "@/features/composing/Dock";
import { Sidebar } from "@/features/navigation/Sidebar";
import { SearchBox } from "@/features/search/SearchBox";
import { useLive } from "@/live/useLive";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";
import { usePhone } from "@/ui/media";
import { Sheet } from "@/ui/Sheet";
import { Toaster } from "@/ui/Toast";

import { KeySheet } from "./KeySheet";
import { MailPage } from "./MailPage";
import { NotFound } from "./NotFound";
import { Status } from "./Status";
import { UserMenu } from "./UserMenu";

const SettingsPages = lazy(async () => import("./SettingsPages"));
const HistoryPage = lazy(async () => import("@/features/history/HistoryPage"));
const DraftsPage = lazy(async () => import("@/features/drafts/DraftsPage"));
const OutboxPage = lazy(async () => import("@/features/outbox/OutboxPage"));

/** Pages of their own, beside the lists of mail and the settings. */
const PAGES: Readonly<Record<string, ComponentType>> = { "/mail/history": HistoryPage, "/mail/outbox": OutboxPage, "/mail/s/drafts": DraftsPage };

export function Shell({ me }: { me: Me }) {
  return (
    <Toaster>
      <Acting>
        <Composing>
          <Pages me={me} />
          <Dock />
        </Composing>
      </Acting>
    </Toaster>
  );
}

function Pages({ me }: { me: Me }) {
  const words = useWords();
  const [path, go] = useLocation();
  const search = useSearch();
  const connection = useLive();
  // The menu belongs to the address where it was opened: going anywhere closes it.
  const here = `${path}?${search}`;
  const [menuAt, setMenuAt] = useState<string | null>(null);
  const [sheet, setSheet] = useState(false);
  const mail = readAddress(path, search);
  const view = mail?.view ?? null;
  const Page = PAGES[path];
  const { compose, open } = useComposing();
  const phone = usePhone();
  const write = () => compose({ kind: "new", ...accountOf(view) });
  useKeys({ "g i": () => go("/mail"), c: write, "?": () => setSheet(true) });

  return (
    <div inert={phone && open !== null} className="grid h-dvh grid-cols-1 grid-rows-[auto_1fr] md:grid-cols-[208px_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-30 focus:m-2 focus:rounded-m focus:bg-accent focus:px-3 focus:py-1 focus:text-on-accent">
        {words("app.skip")}
      </a>
      <header className="flex h-12 items-center gap-3 border-b border-line pr-3 max-md:h-15 max-md:gap-2 max-md:px-3 md:col-span-2">
        <span className="w-[196px] shrink-0 pl-5 text-14 font-semibold tracking-tight max-md:hidden">{words("app.name")}</span>
        <IconButton icon={MenuIcon} label={words("app.menu")} className="size-11 md:hidden" onClick={() => setMenuAt(here)} />
        <SearchBox view={view} />
        <Status connection={connection} />
        <UserMenu handle={me.handle} onKeys={() => setSheet(true)} />
      </header>
      <aside className="min-h-0 border-r border-line max-md:hidden">
        <Sidebar view={view} onWrite={write} />
      </aside>
      <main id="content" tabIndex={-1} className="min-h-0 min-w-0 outline-none">
        {mail !== null && Page === undefined && <MailPage view={mail.view} thread={mail.thread} order={me.settings.thread_order} />}
        {path.startsWith("/settings") && (
          <Suspense fallback={null}>
            <SettingsPages />
          </Suspense>
        )}
        {Page !== undefined && (
          <Suspense fallback={null}>
            <Page />
          </Suspense>
        )}
        {mail === null && !path.startsWith("/settings") && Page === undefined && <NotFound />}
      </main>
      {mail !== null && mail.thread === null && (
        <button
          type="button"
          aria-label={words("compose.new")}
          title={words("compose.new")}
          onClick={write}
          className="fixed right-4 bottom-4 z-10 inline-flex size-14 items-center justify-center rounded-full bg-accent text-on-accent shadow-[0_4px_16px_rgb(0_0_0/0.24)] md:hidden"
        >
          <PenLine size={22} strokeWidth={1.75} aria-hidden />
        </button>
      )}
      {menuAt === here && (
        <Sheet title={words("app.name")} closeLabel={words("app.close")} side="left" onClose={() => setMenuAt(null)}>
          <div className="h-[calc(100dvh-4rem)]">
            <Sidebar view={view} onWrite={write} />
          </div>
        </Sheet>
      )}
      {sheet && <KeySheet onClose={() => setSheet(false)} />}
    </div>
  );
}

/** From the account whose mail is looked at. */
function accountOf(view: View | null): { account?: string } {
  return view?.kind === "account" || view?.kind === "mailbox" ? { account: view.account } : {};
}
