/** How a composer ends; what stands above all composers does it. */
import { createContext, useContext } from "react";

import type { Draft, Queued } from "@/api/schema";

import type { Again } from "./begin";

export interface Ending {
  /** It is there, and hears what is typed. */
  ready: () => void;
  /** Keeps the draft. */
  close: () => void;
  discard: (draft: string) => void;
  /** Goes on as another one, or says why not. */
  begin: (what: Again) => Promise<void>;
  sent: (queued: Queued, draft: Draft) => void;
  /** Where the composer stands at its conversation, it is not shown anywhere else. */
  anchor: (thread: string | null) => void;
  anchored: string | null;
}

const NOWHERE = () => undefined;

export const EndingContext = createContext<Ending>({ ready: NOWHERE, close: NOWHERE, discard: NOWHERE, begin: async () => undefined, sent: NOWHERE, anchor: NOWHERE, anchored: null });

export function useEnding(): Ending {
  return useContext(EndingContext);
}
