/** Waits for what the mail server makes of a request. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { request as requestQuery } from "@/api/queries";
import type { Entry } from "@/api/schema";

export function Outcome({ request, onSettled }: { request: string; onSettled: (entry: Entry) => void }) {
  const { data } = useQuery(requestQuery(request));
  useEffect(() => {
    if (data !== undefined && data.state !== "pending") onSettled(data);
  }, [data, onSettled]);
  return null;
}
