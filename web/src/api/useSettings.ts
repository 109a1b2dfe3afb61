/**
 * Settings that save at once: shown changed immediately, taken back when the server refuses.
 * A read that was on its way meanwhile may have seen them as they were, so it is not kept, and they are read anew.
 */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { changeSettings } from "./commands";
import type { ApiError } from "./errors";
import { keys } from "./keys";
import type { Me, Settings } from "./schema";

export function useSettings() {
  const cache = useQueryClient();
  return useMutation<Settings, ApiError, Partial<Settings>, { before: Me | null | undefined }>({
    mutationFn: changeSettings,
    onMutate: async (change) => {
      await cache.cancelQueries({ queryKey: keys.me });
      const before = cache.getQueryData<Me | null>(keys.me);
      if (before) cache.setQueryData<Me>(keys.me, { ...before, settings: { ...before.settings, ...change } });
      return { before };
    },
    onError: (_error, _change, context) => cache.setQueryData(keys.me, context?.before),
    onSuccess: (settings) => cache.setQueryData<Me | null>(keys.me, (me) => (me ? { ...me, settings } : me)),
    onSettled: () => void cache.invalidateQueries({ queryKey: keys.me }),
  });
}
