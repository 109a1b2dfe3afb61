/** Renders a piece of the client with all that stands around it. */
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";

import { createCache } from "@/app/cache";
import { Announcer } from "@/ui/Announcer";
import { type Language, LocaleProvider } from "@/ui/i18n";
import { ThemeProvider } from "@/ui/theme";

export function show(children: ReactNode, { cache = createCache(), language = "en" }: { cache?: QueryClient; language?: Language } = {}) {
  cache.setDefaultOptions({ queries: { ...cache.getDefaultOptions().queries, retry: false } });
  const around = (inner: ReactNode) => (
    <QueryClientProvider client={cache}>
      <LocaleProvider language={language} tz="Europe/Warsaw">
        <ThemeProvider theme="light">
          <Announcer>{inner}</Announcer>
        </ThemeProvider>
      </LocaleProvider>
    </QueryClientProvider>
  );
  const shown = render(around(children));
  return { cache, rerender: (next: ReactNode) => shown.rerender(around(next)), container: shown.container };
}
