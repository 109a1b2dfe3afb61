/** Signatures inside of the writer's own text: put in when a draft begins, exchanged when the sender changes. */
import { SIGNATURE } from "@/ui/editor/clean";
import { htmlOf, textOf } from "@/ui/editor/plain";

/** RFC 3676 §4.3. */
const MARK = "-- \n";

/** An empty draft with room to write above the signature. */
export function begun(signature: string, plain: boolean): string {
  if (signature === "") return "";
  return plain ? htmlOf(`\n\n${MARK}${textOf(signature)}`) : `<div><br></div><div><br></div>${block(signature)}`;
}

/** The text with another signature; one that the writer has taken out stays out. */
export function exchanged(html: string, before: string, after: string, plain: boolean): string {
  return plain ? htmlOf(exchangedText(textOf(html), textOf(before), textOf(after))) : exchangedHtml(html, before, after);
}

function exchangedHtml(html: string, before: string, after: string): string {
  const page = new DOMParser().parseFromString(html, "text/html");
  const old = page.querySelector(`.${SIGNATURE}`);
  if (old === null) return before === "" && after !== "" ? `${html}<div><br></div>${block(after)}` : html;
  if (after === "") old.remove();
  else old.innerHTML = after;
  return page.body.innerHTML;
}

function exchangedText(text: string, before: string, after: string): string {
  const end = after === "" ? "" : `${MARK}${after}`;
  if (before === "") return end === "" ? text : `${text}\n\n${end}`;
  const at = text.lastIndexOf(`${MARK}${before}`);
  return at === -1 ? text : text.slice(0, at) + end + text.slice(at + MARK.length + before.length);
}

function block(signature: string): string {
  return `<div class="${SIGNATURE}">${signature}</div>`;
}

/** The same text as rich or plain text. */
export function turned(html: string, plain: boolean): string {
  if (plain) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const signature = page.querySelector(`.${SIGNATURE}`);
    if (signature !== null) signature.before(page.createTextNode("-- "), page.createElement("br"));
    return htmlOf(textOf(page.body.innerHTML));
  }
  return html;
}
