/** Finds quoted text in a plain body: lines with ">" and the line that introduces them. */
export interface Passage {
  text: string;
  /** Its place among the passages. */
  at: number;
  /** Folded away: repeats what the conversation shows already. */
  quoted: boolean;
}

/** A quote between the writer's own lines is an answer's context: short ones stay in sight. */
const SHORT = 6;
const INTRODUCTION = /^(?:on |am |le |el |il |w dniu |dnia |\d).*(?:wrote|schrieb|écrit|escribió|scritto|napisał(?:\(a\)|a)?|pisze)[^\n]*:$|^-{2,} ?(?:original message|wiadomość oryginalna|oryginalna wiadomość) ?-{2,}$/iu;

export function passages(body: string): Passage[] {
  const lines = body.replace(/\s+$/u, "").split(/\r?\n/u);
  const found: { lines: string[]; quoted: boolean }[] = [];
  for (const line of lines) {
    const quoted = line.startsWith(">") || (line.trim() === "" && (found.at(-1)?.quoted ?? false));
    const last = found.at(-1);
    if (last !== undefined && last.quoted === quoted) last.lines.push(line);
    else found.push({ lines: [line], quoted });
  }
  for (const [index, passage] of found.entries()) {
    const before = found[index - 1];
    if (passage.quoted && before !== undefined) passage.lines.unshift(...takeIntroduction(before.lines));
  }
  const whole = found.filter((passage) => passage.lines.length > 0);
  const own = whole.some((passage) => !passage.quoted && passage.lines.some((line) => line.trim() !== ""));
  return whole.map((passage, index) => ({
    text: passage.lines.join("\n"),
    at: index,
    quoted: passage.quoted && own && (index === whole.length - 1 || passage.lines.length > SHORT),
  }));
}

/** Cuts "On …, Ada wrote:" (in one line or two) off the end of what stands before a quote. */
function takeIntroduction(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]?.trim() === "") end -= 1;
  for (const length of [1, 2]) {
    const start = end - length;
    if (start >= 0 && INTRODUCTION.test(lines.slice(start, end).join(" ").trim())) return lines.splice(start);
  }
  return [];
}
