/** The catalogue of each language. English is there at once; another is loaded for whoever reads it. */
import { useEffect, useState } from "react";

import type { Catalogue } from "./catalogue";
import { en } from "./en";

const LOADERS = { en: async () => en, pl: async () => (await import("./pl")).pl } as const satisfies Record<string, () => Promise<Catalogue>>;

export type Language = keyof typeof LOADERS;

const loaded = new Map<Language, Catalogue>([["en", en]]);

/** For those who know early which language will be needed. */
export async function loadLanguage(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, await LOADERS[language]());
}

/** The language that can be spoken now: the one that is wanted, or until it is there the one before; null before any. */
export function useSpoken(wanted: Language): { language: Language; catalogue: Catalogue } | null {
  const [spoken, setSpoken] = useState<Language | null>(loaded.has(wanted) ? wanted : null);
  useEffect(() => {
    let stale = false;
    const speak = async () => {
      await loadLanguage(wanted);
      if (!stale) setSpoken(wanted);
    };
    void speak();
    return () => {
      stale = true;
    };
  }, [wanted]);
  const language = loaded.has(wanted) ? wanted : spoken;
  const catalogue = language === null ? undefined : loaded.get(language);
  return language === null || catalogue === undefined ? null : { language, catalogue };
}
