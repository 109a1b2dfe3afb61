/** Words for the API's error codes; the server's own words where a code has none here. */
import type { Key, Words } from "./index";
import { en } from "./en";

export function explain(words: Words, error: { code: string; message: string; retryAfter?: number | null }): string {
  const key = `error.${error.code}`;
  const known = Object.hasOwn(en, key) ? words(key as Key) : error.message || words("error.unexpected");
  const wait = error.retryAfter ?? null;
  return wait === null ? known : `${known} ${words("error.wait", { count: wait })}`;
}
