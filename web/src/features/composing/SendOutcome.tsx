/** Waits for the end of a send. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Send } from "@/api/schema";
import { send as sendQuery } from "@/api/sends";

export function SendOutcome({ send, onSettled }: { send: string; onSettled: (send: Send) => void }) {
  const { data } = useQuery(sendQuery(send));
  useEffect(() => {
    if (data !== undefined && data.state !== "queued" && data.state !== "attempted") onSettled(data);
  }, [data, onSettled]);
  return null;
}
