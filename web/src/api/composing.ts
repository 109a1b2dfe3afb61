/** What can be written, and which draft is open; who opens it stands above everything that asks for it. */
import { createContext, useContext } from "react";

import type { Addr, Kind } from "./schema";

/** How a draft begins. */
export type Beginning =
  | { kind: "new"; to?: Addr[]; subject?: string; text?: string; account?: string }
  | { kind: Exclude<Kind, "new">; message: string; asAttachment?: boolean }
  /** Goes on with a draft of ours, or with one that only a server has. */
  | { draft: string }
  | { elsewhere: string };

export interface Composer {
  compose: (what: Beginning) => void;
  /** The draft that is open. */
  open: string | null;
  /** Drafts that are about to be gone, unless somebody wants them back. */
  discarding: ReadonlySet<string>;
}

export const Composing = createContext<Composer>({ compose: () => undefined, open: null, discarding: new Set() });

export function useComposing(): Composer {
  return useContext(Composing);
}

/** Where the address says which draft is open. */
export const COMPOSE = "compose";

/** The address with a draft open, or with none. */
export function withDraft(address: string, draft: string | null): string {
  const [path = "", search = ""] = address.split("?", 2);
  const query = new URLSearchParams(search);
  if (draft === null) query.delete(COMPOSE);
  else query.set(COMPOSE, draft);
  return query.size === 0 ? path : `${path}?${query}`;
}

export function draftIn(search: string): string | null {
  return new URLSearchParams(search).get(COMPOSE);
}
