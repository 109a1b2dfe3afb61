/** A person's initials on a colour of their own. */
import { useMemo } from "react";

const HUES = [170, 260, 55, 340, 110, 20, 220, 300, 85, 200];

export function Avatar({ name, email, size = 32 }: { name: string; email: string; size?: number }) {
  const style = useMemo(() => ({ "--hue": hueOf(email || name), width: size, height: size }), [email, name, size]);
  return (
    <span aria-hidden className="avatar inline-flex shrink-0 items-center justify-center rounded-full text-12 font-semibold" style={style}>
      {initials(name || email)}
    </span>
  );
}

export function initials(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map(firstLetter).join("").toUpperCase();
}

function hueOf(seed: string): number {
  let hash = 7;
  for (const letter of seed.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
  return HUES[hash % HUES.length] ?? 170;
}

function firstLetter(word = ""): string {
  const point = word.codePointAt(0);
  return point === undefined ? "" : String.fromCodePoint(point);
}
