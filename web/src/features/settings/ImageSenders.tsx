/** Whose remote images load without asking. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { ApiError } from "@/api/errors";
import { forbidImageSender, imageSenders } from "@/api/identity";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Card } from "./Card";

export function ImageSenders() {
  const words = useWords();
  const cache = useQueryClient();
  const { data = [] } = useQuery(imageSenders);
  // What was read with images is asked for again, without them.
  const forbidding = useMutation<unknown, ApiError, string>({
    mutationFn: forbidImageSender,
    onSettled: async () => {
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === "thread" || queryKey[0] === "message" });
      await cache.invalidateQueries({ queryKey: imageSenders.queryKey });
    },
  });
  return (
    <Card title={words("security.images")} text={words(data.length === 0 ? "security.images_none" : "security.images_text")}>
      {data.length > 0 && (
        <ul className="flex flex-col gap-2">
          {data.map((sender) => (
            <li key={sender} className="flex items-center gap-3">
              <span className="min-w-0 flex-1 truncate">{sender}</span>
              <Button aria-label={words("security.images_forbid", { sender })} onClick={() => forbidding.mutate(sender)}>
                {words("security.remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {forbidding.error !== null && <Notice tone="danger">{explain(words, forbidding.error)}</Notice>}
    </Card>
  );
}
