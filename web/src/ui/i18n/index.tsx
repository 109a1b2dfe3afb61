/** Language and time zone for everything below: `useWords` speaks, `useDates` writes times. */
import { createContext, type ReactNode, useContext, useEffect, useMemo } from "react";

import { bytesIn } from "./bytes";
import { type Catalogue, type Key, speak, type Values } from "./catalogue";
import { type Dates, datesFor, knownZone } from "./dates";
import { type Language, useSpoken } from "./languages";

export type Words = (key: Key, values?: Values) => string;
export { isKey, type Key } from "./catalogue";
export { type Language, loadLanguage } from "./languages";

/** British English writes dates as the rest of the world does. */
const locales = { en: "en-GB", pl: "pl-PL" } as const satisfies Record<Language, string>;

const Locale = createContext<{ words: Words; dates: Dates; bytes: (size: number) => string; tz: string } | null>(null);

export function LocaleProvider({ language: wanted, tz, children }: { language: Language; tz: string; children: ReactNode }) {
  const spoken = useSpoken(wanted);
  const language = spoken?.language ?? wanted;
  const catalogue = spoken?.catalogue;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo(() => {
    if (catalogue === undefined) return null;
    const locale = locales[language];
    return { words: wordsOf(catalogue, locale), dates: datesFor(locale, tz), bytes: bytesIn(locale), tz: knownZone(tz) };
  }, [catalogue, language, tz]);
  return value === null ? null : <Locale.Provider value={value}>{children}</Locale.Provider>;
}

export function useWords(): Words {
  return useLocale().words;
}

export function useDates(): Dates {
  return useLocale().dates;
}

/** The reader's own time zone. */
export function useZone(): string {
  return useLocale().tz;
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

export function wordsOf(catalogue: Catalogue, locale: string): Words {
  return (key, values) => speak(catalogue[key], locale, values);
}

/** The reader's language before anyone has signed in. */
export function languageOfBrowser(languages: readonly string[] = navigator.languages): Language {
  const wanted = languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag): tag is Language => Object.hasOwn(locales, tag));
  return wanted ?? "en";
}

export function zoneOfBrowser(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
