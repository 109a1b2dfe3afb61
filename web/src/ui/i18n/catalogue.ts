/** What a catalogue is, and how one of its entries becomes words. */
import { en } from "./en";

export type Key = keyof typeof en;
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Catalogue = { readonly [K in Key]: (typeof en)[K] extends string ? string : Plural };
export type Values = Readonly<Record<string, string | number>>;

export function isKey(key: string): key is Key {
  return Object.hasOwn(en, key);
}

/** Puts values into an entry. A plural entry is chosen by `count`; numbers are written as the language does. */
export function speak(entry: string | Plural, language: string, values: Values = {}): string {
  const form = typeof entry === "string" ? entry : (entry[rules(language).select(Number(values["count"]))] ?? entry.other);
  return form.replace(/\{(\w+)\}/gu, (whole, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers(language).format(value) : (value ?? whole);
  });
}

function memo<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    const found = made.get(language) ?? make(language);
    made.set(language, found);
    return found;
  };
}

const rules = memo((language) => new Intl.PluralRules(language));
const numbers = memo((language) => new Intl.NumberFormat(language, { useGrouping: true }));
