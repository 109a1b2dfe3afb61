/** Language and time zone for everything below: `useWords` speaks, `useDates` writes times. */
import { createContext, type ReactNode, useContext, useEffect, useMemo } from "react";

import { bytesIn } from "./bytes";
import { type Catalogue, type Key, speak, type Values } from "./catalogue";
import { type Dates, datesFor } from "./dates";
import { en } from "./en";
import { pl } from "./pl";

export const catalogues = { en, pl } as const satisfies Record<string, Catalogue>;

export type Language = keyof typeof catalogues;
export type Words = (key: Key, values?: Values) => string;
export { isKey, type Key } from "./catalogue";

/** British English writes dates as the rest of the world does. */
const locales = { en: "en-GB", pl: "pl-PL" } as const satisfies Record<Language, string>;

const Locale = createContext<{ words: Words; dates: Dates; bytes: (size: number) => string } | null>(null);

export function LocaleProvider({ language, tz, children }: { language: Language; tz: string; children: ReactNode }) {
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(() => {
    const locale = locales[language];
    return { words: wordsIn(language), dates: datesFor(locale, tz), bytes: bytesIn(locale) };
  }, [language, tz]);
  return <Locale.Provider value={value}>{children}</Locale.Provider>;
}

export function useWords(): Words {
  return useLocale().words;
}

export function useDates(): Dates {
  return useLocale().dates;
}

/** Writes a number of bytes. */
export function useBytes(): (size: number) => string {
  return useLocale().bytes;
}

function useLocale() {
  const locale = useContext(Locale);
  if (locale === null) throw new Error("useWords and useDates need a LocaleProvider above");
  return locale;
}

export function wordsIn(language: Language): Words {
  const catalogue: Catalogue = catalogues[language];
  return (key, values) => speak(catalogue[key], locales[language], values);
}

/** The reader's language before anyone has signed in. */
export function languageOfBrowser(languages: readonly string[] = navigator.languages): Language {
  const wanted = languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => Object.hasOwn(catalogues, tag));
  return wanted === "pl" ? "pl" : "en";
}

export function zoneOfBrowser(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
