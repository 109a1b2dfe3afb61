/** Times as a reader expects them, in the reader's own time zone. */
export interface Dates {
  /** For a list: the hour today, the day this year, else the date. */
  brief: (iso: string, now?: Date) => string;
  /** For a message: day and hour, with the year when it is another. */
  usual: (iso: string, now?: Date) => string;
  /** How long ago, roughly: for what is checked again and again. */
  ago: (iso: string, now?: Date) => string;
  /** Everything, with the time zone. */
  full: (iso: string) => string;
}

export function datesFor(locale: string, tz: string): Dates {
  const timeZone = knownZone(tz);
  const write = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const hour = write({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = write({ day: "numeric", month: "short" });
  const date = write({ day: "numeric", month: "short", year: "numeric" });
  const whole = write({ dateStyle: "full", timeStyle: "long" });
  const iso = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });

  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

  const sameYear = (a: Date, b: Date) => iso.format(a).slice(0, 4) === iso.format(b).slice(0, 4);

  return {
    brief: (text, now = new Date()) =>
      written(text, (at) => {
        if (iso.format(at) === iso.format(now)) return hour.format(at);
        return (sameYear(at, now) ? day : date).format(at);
      }),
    usual: (text, now = new Date()) =>
      written(text, (at) => `${(sameYear(at, now) ? day : date).format(at)}, ${hour.format(at)}`),
    ago: (text, now = new Date()) => written(text, (at) => rough(relative, (at.getTime() - now.getTime()) / 1000)),
    full: (text) => written(text, (at) => whole.format(at)),
  };
}

const LENGTHS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Seconds from now in the largest unit that fits; less than a minute is now, and so is what a clock ahead of ours says. */
function rough(relative: Intl.RelativeTimeFormat, seconds: number): string {
  const found = LENGTHS.find(([, length]) => -seconds >= length);
  return found === undefined ? relative.format(0, "second") : relative.format(Math.round(seconds / found[1]), found[0]);
}

/** What is no time is shown as it came. */
function written(text: string, format: (at: Date) => string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : format(at);
}

export function knownZone(tz: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: tz }).resolvedOptions().timeZone === "" ? "UTC" : tz;
  } catch {
    return "UTC";
  }
}
