/** One polite live region: what changed without the reader's doing, for those who cannot see it. */
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

const Announce = createContext<(text: string) => void>(() => undefined);

export function Announcer({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState("");
  const announce = useCallback((text: string) => setSaid(text), []);
  return (
    <Announce.Provider value={announce}>
      {children}
      <div aria-live="polite" role="status" className="sr-only">
        {said}
      </div>
    </Announce.Provider>
  );
}

export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}
