/** Where the client is: a draft that is open goes along to every page. */
import { useCallback } from "react";
import { useBrowserLocation } from "wouter/use-browser-location";

import { draftIn, withDraft } from "@/api/composing";

type Navigate = ReturnType<typeof useBrowserLocation>[1];

export function useAddress(): [string, Navigate] {
  const [path, go] = useBrowserLocation();
  const along = useCallback<Navigate>((to, options) => go(withOpenDraft(String(to)), options), [go]);
  return [path, along];
}

function withOpenDraft(to: string): string {
  const open = draftIn(globalThis.location.search);
  const [, search = ""] = to.split("?", 2);
  return open === null || draftIn(search) !== null || !/^\/(?:mail|settings)\b/u.test(to) ? to : withDraft(to, open);
}
