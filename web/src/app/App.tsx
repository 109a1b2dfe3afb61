/** Everything around the pages: cache, language, colours, and who is signed in. */
import { type QueryClient, QueryClientProvider, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { Redirect, Route, Router, Switch, useLocation, useSearch } from "wouter";

import { keys } from "@/api/keys";
import { me as meQuery } from "@/api/queries";
import type { Me } from "@/api/schema";
import { arrive, forget, leaveForGood } from "@/api/session";
import { answerTabs } from "@/api/tabs";
import { ForgotPage } from "@/features/session/ForgotPage";
import { LoginPage } from "@/features/session/LoginPage";
import { RegisterPage } from "@/features/session/RegisterPage";
import { ResetPage } from "@/features/session/ResetPage";
import { VerifyPage } from "@/features/session/VerifyPage";
import { Announcer } from "@/ui/Announcer";
import { Button } from "@/ui/Button";
import { languageOfBrowser, LocaleProvider, useWords, zoneOfBrowser } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";
import { rememberedTheme, ThemeProvider } from "@/ui/theme";

import { useAddress } from "./address";
import { ErrorBoundary } from "./ErrorBoundary";
import { Shell } from "./Shell";

export function App({ cache }: { cache: QueryClient }) {
  return (
    <QueryClientProvider client={cache}>
      {/* oxlint-disable-next-line react/hooks -- so does wouter take another way of telling where the client is */}
      <Router hook={useAddress}>
        <Surroundings />
      </Router>
    </QueryClientProvider>
  );
}

function Surroundings() {
  const { data: me, isError, refetch } = useQuery(meQuery);
  const settings = me?.settings;
  return (
    <LocaleProvider language={settings?.language ?? languageOfBrowser()} tz={settings?.tz ?? zoneOfBrowser()}>
      <ThemeProvider theme={settings?.theme ?? rememberedTheme()}>
        <Announcer>
          <ErrorBoundary>
            {me === undefined ? isError && <Unreachable retry={() => void refetch()} /> : <Pages me={me} />}
          </ErrorBoundary>
        </Announcer>
      </ThemeProvider>
    </LocaleProvider>
  );
}

function Pages({ me }: { me: Me | null }) {
  const [path] = useLocation();
  const search = useSearch();
  const cache = useQueryClient();
  useEffect(() => {
    if (me === null) forget(cache);
    else arrive(me.user_id);
  }, [cache, me]);
  useEffect(
    () =>
      answerTabs(() => {
        leaveForGood();
        cache.setQueryData(keys.me, null);
      }),
    [cache],
  );
  if (path === "/reset") return <ResetPage />;
  if (path === "/verify") return <VerifyPage />;
  if (me !== null) {
    const outside = path === "/" || path === "/login" || path === "/register" || path === "/forgot";
    return outside ? <Redirect to={path === "/login" ? destination(search) : "/mail"} replace /> : <Shell me={me} />;
  }
  return (
    <Switch>
      <Route path="/login">
        <LoginPage destination={destination(search)} />
      </Route>
      <Route path="/register">
        <RegisterPage />
      </Route>
      <Route path="/forgot">
        <ForgotPage />
      </Route>
      <Route>
        <Redirect to={path === "/" ? "/login" : `/login?${new URLSearchParams({ next: search === "" ? path : `${path}?${search}` })}`} replace />
      </Route>
    </Switch>
  );
}

/** Back to what was asked for, if that is a page of ours. */
function destination(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  return /^\/(?:mail|settings)(?:[/?]|$)/u.test(next) ? next : "/mail";
}

function Unreachable({ retry }: { retry: () => void }) {
  const words = useWords();
  return (
    <Empty icon={CircleAlert} title={words("error.unreachable")}>
      <Button onClick={retry}>{words("app.retry")}</Button>
    </Empty>
  );
}
