/** Why an account could not be connected: what it means and what to do, then the server's own words. */
import type { ApiError } from "@/api/errors";
import { isKey, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

/** What stands in the API's message before what the mail server itself said. */
const SAID = "The server said: ";

export function Refusal({ error }: { error: ApiError }) {
  const words = useWords();
  const key = `accounts.code.${error.code}`;
  const [, said = ""] = error.message.split(SAID, 2);
  return (
    <div className="mt-4">
      <Notice tone="danger">
        <p className="font-semibold">{isKey(key) ? words(key) : explain(words, error)}</p>
        {isKey(key) && said !== "" && (
          <p className="mt-1 break-words text-text2">
            {words("accounts.said")}: <q>{said}</q>
          </p>
        )}
      </Notice>
    </div>
  );
}
