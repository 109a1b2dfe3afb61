/** Why an account could not be connected: what it means, then the server's own words. */
import type { ApiError } from "@/api/errors";
import { isKey, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

export function Refusal({ error }: { error: ApiError }) {
  const words = useWords();
  const key = `accounts.code.${error.code}`;
  if (!isKey(key)) {
    return (
      <div className="mt-4">
        <Notice tone="danger">{explain(words, error)}</Notice>
      </div>
    );
  }
  return (
    <div className="mt-4">
      <Notice tone="danger">
        <p className="font-semibold">{words(key)}</p>
        {error.message !== "" && (
          <p className="mt-1 break-words text-text2">
            {words("accounts.said")}: <q>{error.message}</q>
          </p>
        )}
      </Notice>
    </div>
  );
}
