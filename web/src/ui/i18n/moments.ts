/** When a mail can be sent later, in the reader's own time zone. */
export interface Moment {
  day: number;
  month: number;
  year: number;
  hour: number;
  minute: number;
}

const MORNING = 8;

/** The instant at which clocks in a zone show this; in the hour that a clock skips, the one after. */
export function instantOf(moment: Moment, tz: string): Date {
  const wanted = Date.UTC(moment.year, moment.month - 1, moment.day, moment.hour, moment.minute);
  const first = wanted - offsetAt(wanted, tz);
  return new Date(wanted - offsetAt(first, tz));
}

/** What clocks in a zone show at an instant. */
export function momentOf(at: Date, tz: string): Moment {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: tz,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return { year: read("year"), month: read("month"), day: read("day"), hour: read("hour"), minute: read("minute") };
}

function offsetAt(at: number, tz: string): number {
  const { year, month, day, hour, minute } = momentOf(new Date(at), tz);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / 60_000) * 60_000;
}

export function tomorrowMorning(now: Date, tz: string): Date {
  return morningAfter(now, 1, tz);
}

/** The next one that is not today. */
export function mondayMorning(now: Date, tz: string): Date {
  const { year, month, day } = momentOf(now, tz);
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return morningAfter(now, (8 - weekday) % 7 || 7, tz);
}

function morningAfter(now: Date, days: number, tz: string): Date {
  const { year, month, day } = momentOf(now, tz);
  const then = new Date(Date.UTC(year, month - 1, day + days));
  const date = { year: then.getUTCFullYear(), month: then.getUTCMonth() + 1, day: then.getUTCDate() };
  return instantOf({ ...date, hour: MORNING, minute: 0 }, tz);
}

/** As a field of type `datetime-local` writes it. */
export function fieldOf(at: Date, tz: string): string {
  const { year, month, day, hour, minute } = momentOf(at, tz);
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Null for what is no time. */
export function readField(text: string, tz: string): Date | null {
  const read = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/u.exec(text)?.slice(1).map(Number);
  if (read === undefined) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = read;
  return instantOf({ year, month, day, hour, minute }, tz);
}
