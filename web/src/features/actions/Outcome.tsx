/** Waits for what the mail server makes of a request, and tells when it refuses. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { request as requestQuery } from "@/api/queries";
import { useWords } from "@/ui/i18n";

import type { Waiting } from "./useActing";

interface OutcomeProps {
  request: Waiting;
  onSettled: (id: string) => void;
  refuse: (text: string) => void;
}

export function Outcome({ request, onSettled, refuse }: OutcomeProps) {
  const words = useWords();
  const { data } = useQuery(requestQuery(request.id));
  useEffect(() => {
    if (data === undefined || data.state === "pending") return;
    onSettled(data.id);
    if (data.state !== "applied") refuse(words("act.rolled_back", { what: data.subject || words("list.no_subject"), why: data.reason }));
  }, [data, onSettled, refuse, words]);
  return null;
}
