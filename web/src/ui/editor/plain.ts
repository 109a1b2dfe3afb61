/** Text as simple HTML paragraphs and back, so that a plain draft is kept in the same field as a rich one. */
const BLOCKS = new Set(["ADDRESS", "ARTICLE", "BLOCKQUOTE", "DIV", "DL", "FIGURE", "H1", "H2", "H3", "H4", "H5", "H6", "HR", "LI", "OL", "P", "PRE", "SECTION", "TABLE", "TR", "UL"]);

export function htmlOf(text: string): string {
  return text
    .split("\n")
    .map((line) => `<div>${line === "" ? "<br>" : escaped(line)}</div>`)
    .join("");
}

/** Spaces that HTML would run together are kept. */
function escaped(line: string): string {
  const safe = line.replace(/&/gu, "&amp;").replace(/</gu, "&lt;").replace(/>/gu, "&gt;").replace(/\t/gu, "    ");
  return safe.replace(/^ | (?= )| $/gu, "&nbsp;");
}

export function textOf(html: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  const lines: string[] = [""];
  write(page.body, lines, false);
  // A block closes its line, and the last line needs no end.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines.join("\n").replace(/\u00A0/gu, " ");
}

function write(node: Node, lines: string[], literal: boolean): void {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.textContent ?? "";
    if (literal) add(lines, text);
    else if (text.trim() !== "" || lines.at(-1) !== "") lines[lines.length - 1] += text.replace(/[ \t\r\n]+/gu, " ");
    return;
  }
  const { nodeName } = node;
  if (nodeName === "BR") {
    // The last one of a block only holds it open.
    if (node.nextSibling !== null || node.previousSibling === null || !BLOCKS.has(node.parentNode?.nodeName ?? "")) lines.push("");
    return;
  }
  const block = BLOCKS.has(nodeName);
  if (block && lines.at(-1) !== "") lines.push("");
  if (nodeName === "LI") lines[lines.length - 1] += "- ";
  const before = lines.length;
  for (const child of node.childNodes) write(child, lines, literal || nodeName === "PRE");
  if (block && (lines.at(-1) !== "" || lines.length === before)) lines.push("");
}

function add(lines: string[], text: string): void {
  const [first = "", ...rest] = text.split("\n");
  lines[lines.length - 1] += first;
  lines.push(...rest);
}

/** Whether anything can be seen in it. */
export function isBlank(html: string): boolean {
  return !/<(?:img|hr|table)\b/iu.test(html) && textOf(html).trim() === "";
}
