/** Addresses as people type and paste them. */
import type { Addr } from "@/api/schema";

/** Enough to be sent to; the gateway knows better. */
export function isSendable({ email }: Addr): boolean {
  return /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/u.test(email);
}

/** A list as it is pasted: `Maja <m@x>, "Doe, John" <j@y>; c@z`, by commas, semicolons or lines. */
export function readPeople(text: string): Addr[] {
  return pieces(text).flatMap((piece) => readPerson(piece) ?? []);
}

/** Separators count outside of quotes and angle brackets only. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let piece = "";
  let quoted = false;
  let angled = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    else if (letter === "<" && !quoted) angled = true;
    else if (letter === ">" && !quoted) angled = false;
    if (!quoted && !angled && /[,;\n\r\t]/u.test(letter)) {
      found.push(piece);
      piece = "";
    } else piece += letter;
  }
  return [...found, piece];
}

function readPerson(piece: string): Addr | null {
  const text = piece.trim();
  if (text === "") return null;
  const angle = /^(.*?)\s*<\s*([^<>]*?)\s*>$/su.exec(text);
  if (angle === null) return { name: "", email: text.replace(/^mailto:/iu, "") };
  const name = (angle[1] ?? "").trim().replace(/^"(.*)"$/su, "$1").replace(/\\(.)/gu, "$1").trim();
  return { name, email: (angle[2] ?? "").replace(/^mailto:/iu, "") };
}

/** Nobody twice. */
export function joined(people: readonly Addr[], more: readonly Addr[]): Addr[] {
  const all = [...people];
  for (const one of more) if (!all.some((other) => isSame(one, other))) all.push(one);
  return all;
}

export function isSame(one: Addr, other: Addr): boolean {
  return one.email.toLowerCase() === other.email.toLowerCase();
}
