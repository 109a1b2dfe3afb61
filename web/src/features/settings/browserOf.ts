/** A browser's name from what it says of itself (which is a lie in parts: the more special names go first). */
const BROWSERS: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//u, "Edge"],
  [/OPR\//u, "Opera"],
  [/(?:Firefox|FxiOS)\//u, "Firefox"],
  [/(?:Chrom(?:e|ium)|CriOS)\//u, "Chrome"],
  [/Safari\//u, "Safari"],
];

const SYSTEMS: [RegExp, string][] = [
  [/iPhone/u, "iPhone"],
  [/iPad/u, "iPad"],
  [/Android/u, "Android"],
  [/Windows/u, "Windows"],
  [/Mac OS X|Macintosh/u, "macOS"],
  [/Linux|X11/u, "Linux"],
];

/** Null for what is no browser that we know. */
export function browserOf(agent: string): string | null {
  const first = (names: [RegExp, string][]) => names.find(([mark]) => mark.test(agent))?.[1];
  const browser = first(BROWSERS);
  if (browser === undefined) return null;
  const system = first(SYSTEMS);
  return system === undefined ? browser : `${browser}, ${system}`;
}
