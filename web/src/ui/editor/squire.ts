/** The rich text editor, made ready: what enters is cleaned, and pictures have an address while they are shown. */
import Squire from "squire-rte";

import { cleanFragment } from "./clean";

export type { default as Squire } from "squire-rte";

/** Where a picture of the draft can be seen, by its Content-ID. */
export type Pictures = (cid: string) => string | undefined;

export function makeEditor(root: HTMLElement): Squire {
  return new Squire(root, {
    blockTag: "div",
    addLinks: true,
    sanitizeToDOMFragment: (html) => cleanFragment(html),
    didError: (error) => reportError(error),
    tagAttributes: { a: { rel: "noopener noreferrer" }, blockquote: { type: "cite" } },
  });
}

/** As it is kept: pictures are named by their Content-ID (RFC 2392). */
export function asStored(shown: string): string {
  if (!shown.includes("data-cid")) return shown;
  return changed(shown, (image) => {
    const cid = image.dataset["cid"];
    if (cid === undefined) return;
    image.setAttribute("src", `cid:${cid}`);
    delete image.dataset["cid"];
  });
}

export function asShown(kept: string, pictures: Pictures): string {
  if (!kept.includes("cid:")) return kept;
  return changed(kept, (image) => {
    const source = image.getAttribute("src") ?? "";
    if (!source.startsWith("cid:")) return;
    const cid = decoded(source.slice(4));
    const address = pictures(cid);
    if (address === undefined) image.removeAttribute("src");
    else {
      image.setAttribute("src", address);
      image.dataset["cid"] = cid;
    }
  });
}

/** Where there is no file for them any more. */
export function withoutPictures(kept: string): string {
  if (!kept.includes("cid:")) return kept;
  return changed(kept, (image) => {
    if (image.src.startsWith("cid:")) image.replaceWith(image.alt);
  });
}

function decoded(cid: string): string {
  try {
    return decodeURIComponent(cid);
  } catch {
    return cid;
  }
}

/** In a template nothing is loaded or run. */
function changed(html: string, change: (image: HTMLImageElement) => void): string {
  const template = document.createElement("template");
  template.innerHTML = html;
  for (const image of template.content.querySelectorAll("img")) change(image);
  return template.innerHTML;
}
