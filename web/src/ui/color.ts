/** Colours that tell accounts apart (web.md §6); always shown next to the account's name. */
const HUES = [170, 260, 55, 340, 110, 20, 220, 300];

export function accountColor(index: number): string {
  return `oklch(0.62 0.11 ${HUES[index % HUES.length]})`;
}

/** Only a colour gets through: what the API says goes into a style. */
export function safeColor(color: string, index: number): string {
  return /^#[0-9a-f]{3,8}$|^oklch\([\d. %]+\)$/iu.test(color) ? color : accountColor(index);
}
