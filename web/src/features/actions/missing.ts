/** Reads a refusal that says which mailbox an account lacks. */
import * as z from "zod/mini";

import { ApiError } from "@/api/errors";

const refusal = z.object({
  use: z.enum(["archive", "junk", "trash", "sent", "drafts"]),
  account_id: z.string(),
  candidates: z.array(z.object({ id: z.string(), path: z.string() })),
});

export type Missing = z.infer<typeof refusal>;

export function missingIn(error: unknown): Missing | null {
  if (!(error instanceof ApiError) || error.code !== "no_mailbox_for") return null;
  const read = refusal.safeParse(error.body);
  return read.success ? read.data : null;
}
