/** Colours that tell accounts apart (web.md §6); always shown next to the account's name. */
const HUES = [170, 260, 55, 340, 110, 20, 220, 300];

/** The account's own colour, where it is one: what the API says goes into a style. */
export function accountColor(color: string, index: number): string {
  return /^#[0-9a-f]{6}$/iu.test(color) ? color : `oklch(0.62 0.11 ${HUES[index % HUES.length]})`;
}
