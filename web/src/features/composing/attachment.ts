/** Whether somebody writes of a file that is not there. */
import { SIGNATURE } from "@/ui/editor/clean";
import { textOf } from "@/ui/editor/plain";

const SPOKEN_OF = /\b(?:attach(?:ed|ing|ment|ments)?|enclosed)\b|(?<!\p{L})(?:załącz\p{L}*|w załączniku|dołącz(?:am|amy|ony|one|yłem|yłam))(?!\p{L})/iu;

export function speaksOfFile(html: string): boolean {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const other of page.querySelectorAll(`.${SIGNATURE}, blockquote`)) other.remove();
  return SPOKEN_OF.test(textOf(page.body.innerHTML));
}
