/** What surrounds every page of someone who is signed in: header, sidebar, live updates, keys. */
import { Menu as MenuIcon } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useLocation, useSearch } from "wouter";

import type { Me } from "@/api/schema";
import { readAddress } from "@/api/view";
import { Acting } from "@/features/actions/Acting";
import { Sidebar } from "@/features/navigation/Sidebar";
import { SearchBox } from "@/features/search/SearchBox";
import { useLive } from "@/live/useLive";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";
import { Sheet } from "@/ui/Sheet";
import { Toaster } from "@/ui/Toast";

import { KeySheet } from "./KeySheet";
import { MailPage } from "./MailPage";
import { NotFound } from "./NotFound";
import { Status } from "./Status";
import { UserMenu } from "./UserMenu";

const SettingsPages = lazy(async () => import("./SettingsPages"));
const HistoryPage = lazy(async () => import("@/features/history/HistoryPage"));
const HISTORY = "/mail/history";

export function Shell({ me }: { me: Me }) {
  return (
    <Toaster>
      <Acting>
        <Pages me={me} />
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
  useKeys({ "g i": () => go("/mail"), "?": () => setSheet(true) });

  return (
    <div className="grid h-dvh grid-cols-1 grid-rows-[auto_1fr] md:grid-cols-[208px_1fr]">
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
        <Sidebar view={view} />
      </aside>
      <main id="content" tabIndex={-1} className="min-h-0 min-w-0 outline-none">
        {mail !== null && <MailPage view={mail.view} thread={mail.thread} order={me.settings.thread_order} />}
        {path.startsWith("/settings") && (
          <Suspense fallback={null}>
            <SettingsPages />
          </Suspense>
        )}
        {path === HISTORY && (
          <Suspense fallback={null}>
            <HistoryPage />
          </Suspense>
        )}
        {mail === null && !path.startsWith("/settings") && path !== HISTORY && <NotFound />}
      </main>
      {menuAt === here && (
        <Sheet title={words("app.name")} closeLabel={words("app.close")} side="left" onClose={() => setMenuAt(null)}>
          <div className="h-[calc(100dvh-4rem)]">
            <Sidebar view={view} />
          </div>
        </Sheet>
      )}
      {sheet && <KeySheet onClose={() => setSheet(false)} />}
    </div>
  );
}
