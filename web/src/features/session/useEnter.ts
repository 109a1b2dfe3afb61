/** Becoming signed in: the answer is who we are. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Me } from "@/api/schema";

export function useEnter<Form>(command: (form: Form) => Promise<Me>, destination: string) {
  const cache = useQueryClient();
  const [, go] = useLocation();
  return useMutation<Me, ApiError, Form>({
    mutationFn: command,
    onSuccess: (me) => {
      cache.setQueryData(keys.me, me);
      go(destination, { replace: true });
    },
  });
}
