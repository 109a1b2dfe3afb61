/** Whether a message may fetch its remote images: asked of the server, which keeps the record. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { allowRemoteImages } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Message } from "@/api/schema";

export interface RemoteImages {
  /** There are some, and they are not shown. */
  blocked: boolean;
  shown: boolean;
  pending: boolean;
  failed: boolean;
  allow: (scope: "once" | "sender") => void;
}

export function useRemoteImages(message: Message): RemoteImages {
  const cache = useQueryClient();
  const { blocked, allowed } = message.remote_images;
  const allowing = useMutation<unknown, ApiError, "once" | "sender">({
    mutationFn: async (scope) => allowRemoteImages(message.id, scope),
    onSuccess: async (_answer, scope) => {
      if (scope === "sender") await cache.invalidateQueries({ queryKey: keys.thread(message.thread_id) });
    },
  });
  const shown = allowed || allowing.isSuccess;
  return {
    blocked: blocked > 0 && !shown,
    shown,
    pending: allowing.isPending,
    failed: allowing.isError,
    allow: (scope) => allowing.mutate(scope),
  };
}
