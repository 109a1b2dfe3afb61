/** HTML that may enter the app's own document: what somebody writes or pastes, never a mail as it came (web.md §3). */
import DOMPurify from "dompurify";

/** The class of the element that holds a signature; the only one that is kept, since others would have the app's own look. */
export const SIGNATURE = "wm-signature";

const OURS = /^(?:blob:|data:image\/(?:png|gif|jpeg|webp|bmp|avif)[;,]|\/api\/drafts\/)/iu;
/** Every attribute is held to this, so that what has no scheme passes. */
const ADDRESS = /^(?:(?:https?|mailto|tel|cid|blob):|data:image\/|[^a-z]|[a-z+.-]+(?:[^a-z+.:-]|$))/iu;

const purifier = DOMPurify(globalThis.window);

purifier.addHook("uponSanitizeAttribute", (_node, attribute) => {
  if (attribute.attrName === "class" && attribute.attrValue !== SIGNATURE) attribute.keepAttr = false;
  if (attribute.attrName === "srcset" || attribute.attrName === "background") attribute.keepAttr = false;
});
// What would be fetched from elsewhere tells that somebody writes, and the page's policy forbids it anyway.
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "IMG") return;
  const source = node.getAttribute("src") ?? "";
  if (!OURS.test(source) && !source.startsWith("cid:")) node.replaceWith(node.getAttribute("alt") ?? "");
});

const OPTIONS = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "option", "label", "audio", "video", "picture", "source", "track", "dialog", "details", "summary", "link", "meta", "base"],
  FORBID_ATTR: ["id", "name", "tabindex", "contenteditable", "autofocus", "role", "popover", "slot"],
  ALLOWED_URI_REGEXP: ADDRESS,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ADD_ATTR: ["data-cid"],
};

/** A fragment of this document. */
export function cleanFragment(html: string): DocumentFragment {
  const fragment = purifier.sanitize(html, { ...OPTIONS, RETURN_DOM_FRAGMENT: true });
  return document.importNode(fragment, true);
}
