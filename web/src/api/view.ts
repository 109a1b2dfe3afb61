/** Which list is shown: one value, with its API parameter and its address. */
export const SPECIALS = ["starred", "sent", "drafts", "archive", "junk", "trash"] as const;

export type Special = (typeof SPECIALS)[number];

export type View =
  | { kind: "unified" }
  | { kind: "account"; account: string }
  | { kind: "mailbox"; account: string; mailbox: string }
  | { kind: "special"; special: Special }
  | { kind: "search"; q: string };

export const UNIFIED: View = { kind: "unified" };

export function viewParameter(view: View): string {
  switch (view.kind) {
    case "unified":
    case "search":
      return view.kind;
    case "account":
      return `account:${view.account}`;
    case "mailbox":
      return `mailbox:${view.mailbox}`;
    case "special":
      return `special:${view.special}`;
  }
}

export function viewPath(view: View): string {
  switch (view.kind) {
    case "unified":
      return "/mail";
    case "account":
      return `/mail/a/${encodeURIComponent(view.account)}`;
    case "mailbox":
      return `/mail/a/${encodeURIComponent(view.account)}/f/${encodeURIComponent(view.mailbox)}`;
    case "special":
      return `/mail/s/${view.special}`;
    case "search":
      return `/mail/search?${new URLSearchParams({ q: view.q })}`;
  }
}

/** The thread's address names the list it was opened from, so that reload and back keep it. */
export function threadPath(thread: string, view: View): string {
  const path = `/mail/t/${encodeURIComponent(thread)}`;
  return view.kind === "unified" ? path : `${path}?${new URLSearchParams({ in: viewPath(view) })}`;
}

/** What an address under /mail shows; null when it is no such address. */
export function readAddress(path: string, search: string): { view: View; thread: string | null } | null {
  const [root, kind, id, ...rest] = path.replace(/^\/|\/$/gu, "").split("/").map(decode);
  const query = new URLSearchParams(search);
  if (root !== "mail") return null;
  if (kind === undefined) return { view: UNIFIED, thread: null };
  if (kind === "search" && id === undefined) return { view: { kind: "search", q: query.get("q") ?? "" }, thread: null };
  if (id === undefined || id === "") return null;
  if (kind === "t" && rest.length === 0) return { view: readOrigin(query.get("in")), thread: id };
  if (kind === "s" && rest.length === 0) return isSpecial(id) ? { view: { kind: "special", special: id }, thread: null } : null;
  if (kind !== "a") return null;
  if (rest.length === 0) return { view: { kind: "account", account: id }, thread: null };
  const [folder, mailbox] = rest;
  if (folder !== "f" || mailbox === undefined || rest.length !== 2) return null;
  return { view: { kind: "mailbox", account: id, mailbox }, thread: null };
}

function readOrigin(origin: string | null): View {
  if (origin === null) return UNIFIED;
  const [path = "", search = ""] = origin.split("?", 2);
  const found = readAddress(path, search);
  return found === null || found.thread !== null ? UNIFIED : found.view;
}

function isSpecial(name: string): name is Special {
  return (SPECIALS as readonly string[]).includes(name);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
