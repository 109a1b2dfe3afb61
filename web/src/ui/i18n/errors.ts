/** Words for the API's error codes; the server's own words where a code has none here. */
import { isKey } from "./catalogue";
import type { Words } from "./index";

export function explain(words: Words, error: { code: string; message: string; retryAfter?: number | null }): string {
  const key = `error.${error.code}`;
  const known = isKey(key) ? words(key) : error.message || words("error.unexpected");
  const wait = error.retryAfter ?? null;
  return wait === null ? known : `${known} ${words("error.wait", { count: wait })}`;
}
