/** Who a message is from, for people to read. */
import type { Addr, Message } from "@/api/schema";

const NOBODY: Addr = { name: "", email: "" };

export function authorOf(message: Message): Addr {
  return message.from[0] ?? message.sender[0] ?? NOBODY;
}

export function nameOf(address: Addr): string {
  return address.name || address.email || "—";
}

/** What one would call them: "Always from Maja", but "Always from The Slow Gazette". */
export function givenName(address: Addr): string {
  const name = nameOf(address);
  const [first = name, ...rest] = name.split(/\s+/u);
  return rest.length === 1 && !/^(?:the|a|an)$/iu.test(first) ? first : name;
}
