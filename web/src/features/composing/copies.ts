/** Copies of drafts in this browser, while the gateway cannot be reached. */
import * as z from "zod/mini";

import type { Content } from "@/api/drafts";
import { COPIES } from "@/api/session";

export interface Copy {
  revision: number;
  content: Content;
}

export interface Copies {
  read: (id: string) => Copy | null;
  write: (id: string, copy: Copy) => void;
  drop: (id: string) => void;
}

const people = z.array(z.object({ name: z.string(), email: z.string() }));
const copy = z.object({
  revision: z.number(),
  content: z.object({
    identity_id: z.string(),
    to: people,
    cc: people,
    bcc: people,
    subject: z.string(),
    html: z.string(),
    plain: z.boolean(),
    quote: z.enum(["full", "none"]),
  }),
});

export const copiesHere: Copies = {
  read: (id) => {
    const read = copy.safeParse(parsed(localStorage.getItem(COPIES + id)));
    return read.success ? read.data : null;
  },
  write: (id, kept) => {
    try {
      localStorage.setItem(COPIES + id, JSON.stringify(kept));
    } catch {
      // No room: the draft is still in the page, and saving goes on being tried.
      localStorage.removeItem(COPIES + id);
    }
  },
  drop: (id) => localStorage.removeItem(COPIES + id),
};

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
