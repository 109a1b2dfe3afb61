/** Who takes part, in the room of one line: one whole name, or several short ones. */
import type { Addr } from "@/api/schema";

export function people(addresses: readonly Addr[]): string {
  const names = [...new Set(addresses.map((address) => address.name || address.email))];
  return names.length < 2 ? (names[0] ?? "") : names.map(short).join(", ");
}

function short(name: string): string {
  const [first = name, second] = name.split(/\s+/u);
  return second === undefined || name.includes("@") ? (name.split("@")[0] ?? name) : first;
}
