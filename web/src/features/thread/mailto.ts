/** What a mailto link asks to be written (RFC 6068); never more than recipients, subject and text. */
import type { Addr } from "@/api/schema";

export interface Asked {
  to: Addr[];
  subject?: string;
  text?: string;
}

export function readMailto(link: string): Asked | null {
  const found = /^mailto:([^?]*)(?:\?(.*))?$/isu.exec(link.trim());
  if (found === null) return null;
  const fields = new Map((found[2] ?? "").split("&").map((pair) => [decoded(pair.split("=")[0] ?? "").toLowerCase(), decoded(pair.slice(pair.indexOf("=") + 1))]));
  const to = [...(found[1] ?? "").split(","), ...(fields.get("to") ?? "").split(",")].map((one) => decoded(one).trim()).filter((email) => email !== "");
  if (to.length === 0) return null;
  const [subject, text] = [fields.get("subject"), fields.get("body")];
  return { to: to.map((email) => ({ name: "", email })), ...(subject !== undefined && { subject }), ...(text !== undefined && { text: text.replace(/\r\n?/gu, "\n") }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
