/** The size of the composer in the corner. */
import { createContext, useContext } from "react";

export const DockContext = createContext<{ large: boolean; resize: () => void }>({ large: false, resize: () => undefined });

export function useDock() {
  return useContext(DockContext);
}
