/** Names of what is cached; the socket names the same things as stale. */
export const keys = {
  me: ["me"],
  config: ["config"],
  accounts: ["accounts"],
  threads: ["threads"],
  thread: (id: string) => ["thread", id],
  message: (id: string) => ["message", id],
  history: ["history"],
  changes: ["changes"],
  drafts: ["drafts"],
  draft: (id: string) => ["draft", id],
  sends: ["sends"],
} as const;
