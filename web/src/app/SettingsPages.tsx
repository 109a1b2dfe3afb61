/** The settings: a strip of pages and the one that is open. Loaded when first asked for. */
import { useEffect } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";

import { AccountsPage } from "@/features/accounts/AccountsPage";
import { NewAccountPage } from "@/features/accounts/NewAccountPage";
import { SecurityPage } from "@/features/settings/SecurityPage";
import { AppearancePage, ProfilePage } from "@/features/settings/SettingsPage";
import { classes } from "@/ui/classes";
import { type Key, useWords } from "@/ui/i18n";

import { NotFound } from "./NotFound";

const STRIP: [string, Key][] = [
  ["/settings/profile", "settings.profile"],
  ["/settings/security", "security.title"],
  ["/settings/appearance", "settings.appearance"],
  ["/settings/accounts", "accounts.title"],
];

export default function SettingsPages() {
  const words = useWords();
  const [path] = useLocation();
  useEffect(() => {
    document.title = `${words("settings.title")} — ${words("app.name")}`;
  }, [words]);
  return (
    <div className="scroll h-full overflow-y-auto px-4 py-8 max-md:py-4">
      <div className="mx-auto flex max-w-[640px] flex-col gap-4">
        <nav aria-label={words("settings.title")} className="flex flex-wrap gap-1">
          {STRIP.map(([href, label]) => (
            <Link
              key={href}
              href={href}
              aria-current={path.startsWith(href) ? "page" : undefined}
              className={classes(
                "target inline-flex h-8 items-center rounded-m px-3 text-13",
                path.startsWith(href) ? "bg-selected font-semibold" : "text-text2 hover:bg-hover",
              )}
            >
              {words(label)}
            </Link>
          ))}
        </nav>
        <Switch>
          <Route path="/settings">
            <Redirect to="/settings/profile" replace />
          </Route>
          <Route path="/settings/profile">
            <ProfilePage />
          </Route>
          <Route path="/settings/security">
            <SecurityPage />
          </Route>
          <Route path="/settings/appearance">
            <AppearancePage />
          </Route>
          <Route path="/settings/accounts">
            <AccountsPage />
          </Route>
          <Route path="/settings/accounts/new">
            <NewAccountPage />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </div>
    </div>
  );
}
