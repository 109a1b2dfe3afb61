import { describe, expect, it } from "vitest";

import { languageOfBrowser, wordsOf } from "@/ui/i18n";
import { bytesIn } from "@/ui/i18n/bytes";
import { datesFor } from "@/ui/i18n/dates";
import { en } from "@/ui/i18n/en";
import { pl } from "@/ui/i18n/pl";

const catalogues = { en, pl };

const placeholders = (entry: string | object) =>
  new Set((typeof entry === "string" ? [entry] : Object.values(entry)).flatMap((text: string) => text.match(/\{\w+\}/gu) ?? []));

describe("the catalogues", () => {
  const english = Object.entries(catalogues.en);

  it("have every key in every language", () => {
    for (const catalogue of Object.values(catalogues)) expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(catalogues.en).toSorted());
  });

  it("say something under every key", () => {
    for (const catalogue of Object.values(catalogues)) {
      for (const [key, entry] of Object.entries(catalogue)) {
        const texts: string[] = typeof entry === "string" ? [entry] : Object.values(entry);
        for (const text of texts) expect(text.trim(), key).not.toBe("");
      }
    }
  });

  it.each(english)("use the same values for %s", (key, entry) => {
    for (const catalogue of Object.values(catalogues)) {
      expect(placeholders(catalogue[key as keyof typeof catalogue])).toEqual(placeholders(entry));
    }
  });

  it.each(Object.entries(catalogues))("have every plural form of %s", (language, catalogue) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    const plurals = Object.values(catalogue).filter((entry) => typeof entry === "object");
    expect(plurals.map((entry) => Object.keys(entry).toSorted())).toEqual(plurals.map(() => forms));
  });
});

/** Keys that are put together from a code, a view or a state. */
const FAMILIES = /^(?:error|nav|act\.(?:done|verb)|compose\.(?:kind|failed|unconfirmed)|outbox\.(?:code|state)|wizard\.(?:check|help|method|sign_in|sign_in_refused|source|step)|accounts\.(?:code|job|job_code|job_state|state)|thread\.make_default)(?:[._]|$)/u;

describe("the English catalogue", () => {
  const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
  const said = Object.entries(sources)
    .filter(([path]) => !/i18n\/(?:en|pl)\.ts$/u.test(path))
    .map(([, source]) => source)
    .join("\n");

  it("says nothing that nobody hears", () => {
    expect(Object.keys(catalogues.en).filter((key) => !FAMILIES.test(key) && !said.includes(`"${key}"`))).toEqual([]);
  });
});

describe("plurals", () => {
  it.each([
    [1, "1 rozmowa"],
    [2, "2 rozmowy"],
    [5, "5 rozmów"],
    [12, "12 rozmów"],
    [22, "22 rozmowy"],
  ])("of %d in Polish", (count, text) => {
    expect(wordsOf(pl, "pl-PL")("list.count", { count })).toBe(text);
  });

  it("group figures as the language does", () => {
    expect(wordsOf(en, "en-GB")("list.count", { count: 100_000 })).toBe("100,000 conversations");
  });
});

describe("the language before signing in", () => {
  it.each([
    [["pl-PL", "en"], "pl"],
    [["de-DE", "pl"], "pl"],
    [["en-US", "pl"], "en"],
    [["ja"], "en"],
  ] as const)("for a browser that wants %s is %s", (wanted, language) => {
    expect(languageOfBrowser(wanted)).toBe(language);
  });
});

describe("dates", () => {
  const dates = datesFor("en-GB", "Europe/Warsaw");
  const now = new Date("2026-11-30T09:00:00Z");

  it.each([
    ["2026-11-30T08:31:00Z", "09:31"],
    ["2026-11-29T23:30:00Z", "00:30"],
    ["2026-11-29T22:30:00Z", "29 Nov"],
    ["2025-12-31T22:30:00Z", "31 Dec 2025"],
  ])("in a list: %s is %s in the reader's own zone", (iso, text) => {
    expect(dates.brief(iso, now)).toBe(text);
  });

  it("in a message have the day and the hour", () => {
    expect(dates.usual("2026-11-30T08:31:00Z", now)).toBe("30 Nov, 09:31");
  });

  it("do not break on what is no date or no zone", () => {
    expect(dates.brief("yesterday", now)).toBe("yesterday");
    expect(datesFor("en-GB", "Mars/Olympus").brief("2026-11-30T08:31:00Z", now)).toBe("08:31");
  });
});

describe("sizes", () => {
  it.each([
    [512, "512 byte"],
    [4096, "4.1 kB"],
    [999_700, "1 MB"],
    [2_400_312, "2.4 MB"],
  ])("%d is %s", (size, text) => {
    expect(bytesIn("en-GB")(size)).toBe(text);
  });
});
