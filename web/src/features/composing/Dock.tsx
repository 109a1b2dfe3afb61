/** The composer that does not stand at a conversation: in the corner, or all of a phone's screen. */
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";

import { useComposing } from "@/api/composing";
import { draft as draftQuery } from "@/api/drafts";
import { classes } from "@/ui/classes";
import { usePhone } from "@/ui/media";

import { DockContext } from "./dock";
import { useEnding } from "./ending";

const Composer = lazy(async () => import("./Composer"));

export function Dock() {
  const { open } = useComposing();
  const { anchored } = useEnding();
  const phone = usePhone();
  const [large, setLarge] = useState(false);
  const { data, isError } = useQuery({ ...draftQuery(open ?? ""), enabled: open !== null });
  const dock = useMemo(() => ({ large, resize: () => setLarge((now) => !now) }), [large]);
  if (open === null || (data === undefined && !isError)) return null;
  if (!phone && anchored !== null && data?.thread_id === anchored) return null;
  return (
    <DockContext.Provider value={dock}>
      <div
        className={
          phone
            ? "scroll fixed inset-0 z-20 flex flex-col overflow-y-auto bg-raised"
            : classes(
                "fixed right-4 bottom-0 z-20 flex flex-col overflow-hidden rounded-t-l border border-b-0 border-line bg-raised shadow-[0_8px_32px_rgb(0_0_0/0.18)]",
                large ? "h-[calc(100dvh-4rem)] w-[min(56rem,calc(100vw-2rem))]" : "h-[min(36rem,calc(100dvh-4rem))] w-[min(36rem,calc(100vw-2rem))]",
              )
        }
      >
        <Suspense>
          <Composer id={open} place={phone ? "page" : "dock"} />
        </Suspense>
      </div>
    </DockContext.Provider>
  );
}
