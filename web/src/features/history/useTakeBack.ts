/** Takes back one entry of the history, and says so, or why not. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { undoRequest } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { useToast } from "@/ui/Toast";

export function useTakeBack() {
  const words = useWords();
  const toast = useToast();
  const cache = useQueryClient();
  return useMutation<unknown, ApiError, string>({
    mutationFn: undoRequest,
    onSuccess: () => toast({ text: words("act.undone"), seconds: 4 }),
    onError: (error) => toast({ text: words("act.not_undone", { why: explain(words, error) }), tone: "danger", seconds: 30 }),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.history }),
  });
}
