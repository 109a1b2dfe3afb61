/** Finds web addresses in plain text. */
export interface Piece {
  kind: "text" | "link";
  text: string;
  /** Where it begins. */
  at: number;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/giu;
const TRAILING = /[.,;:!?'\])}]+$/u;

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimmed(match[0]);
    if (match.index > from) found.push({ kind: "text", text: text.slice(from, match.index), at: from });
    found.push({ kind: "link", text: address, at: match.index });
    from = match.index + address.length;
  }
  if (from < text.length) found.push({ kind: "text", text: text.slice(from), at: from });
  return found;
}

/** A sentence's own punctuation is no part of the address; a bracket that was opened inside it is. */
function trimmed(address: string): string {
  const cut = address.replace(TRAILING, "");
  return address[cut.length] === ")" && cut.includes("(") ? `${cut})` : cut;
}
