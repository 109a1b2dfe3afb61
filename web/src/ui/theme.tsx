/** Light, dark, or as the system has it. */
import { createContext, type ReactNode, useContext, useLayoutEffect, useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const Shown = createContext<"light" | "dark">("light");
const REMEMBERED = "webmail.theme";
const dark = () => globalThis.matchMedia("(prefers-color-scheme: dark)");

export function ThemeProvider({ theme, children }: { theme: Theme; children: ReactNode }) {
  const systemDark = useSyncExternalStore(watchSystem, () => dark().matches);
  useLayoutEffect(() => showTheme(theme), [theme]);
  const system = systemDark ? "dark" : "light";
  return <Shown.Provider value={theme === "system" ? system : theme}>{children}</Shown.Provider>;
}

/** The theme that is on screen now. */
export function useShownTheme(): "light" | "dark" {
  return useContext(Shown);
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  localStorage.setItem(REMEMBERED, theme);
}

/** What this browser showed last, so that the first paint has the right colours. */
export function rememberedTheme(): Theme {
  const theme = localStorage.getItem(REMEMBERED);
  return theme === "light" || theme === "dark" ? theme : "system";
}

function watchSystem(changed: () => void): () => void {
  const query = dark();
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
