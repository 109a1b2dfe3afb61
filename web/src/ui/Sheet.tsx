/** Dialogs: one in the middle, one at the edge. What is not shown is not rendered: mount a sheet to open it. */
import { lazy, Suspense } from "react";

import type { SheetProps } from "./SheetParts";

const SheetParts = lazy(async () => import("./SheetParts"));

export function Sheet(props: SheetProps) {
  return (
    <Suspense>
      <SheetParts {...props} />
    </Suspense>
  );
}
