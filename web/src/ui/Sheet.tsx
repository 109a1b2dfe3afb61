/** Dialogs: one in the middle, one at the edge. What is not shown is not rendered: mount a sheet to open it. */
import { lazy, Suspense } from "react";

import type { SheetProps } from "./SheetParts";

/** For those that have to be there at once. */
export const preloadSheet = async () => import("./SheetParts");

const SheetParts = lazy(preloadSheet);

export function Sheet(props: SheetProps) {
  return (
    <Suspense>
      <SheetParts {...props} />
    </Suspense>
  );
}
