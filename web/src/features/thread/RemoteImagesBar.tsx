/** Says that remote images are blocked, and offers them. */
import { ImageOff } from "lucide-react";

import type { Message } from "@/api/schema";
import { useWords } from "@/ui/i18n";

import { authorOf, givenName } from "./author";
import type { RemoteImages } from "./useRemoteImages";

export function RemoteImagesBar({ message, images }: { message: Message; images: RemoteImages }) {
  const words = useWords();
  const ways = [
    ["once", words("message.images_load")],
    ["sender", words("message.images_always", { name: givenName(authorOf(message)) })],
  ] as const;
  return (
    <div role="note" className="flex items-center gap-3 rounded-m bg-warnbg px-3 py-1.5 text-13 text-warn pointer-coarse:py-0.5">
      <ImageOff size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1">
        {images.failed ? words("error.unexpected") : words("message.images_blocked", { count: message.remote_images.blocked })}
      </span>
      {ways.map(([scope, label]) => (
        <button
          key={scope}
          type="button"
          disabled={images.pending}
          onClick={() => images.allow(scope)}
          className="target shrink-0 rounded-s font-semibold whitespace-nowrap hover:underline disabled:opacity-60"
        >
          {label}
        </button>
      ))}
    </div>
  );
}
