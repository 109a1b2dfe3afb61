/** Pictures that stand in pasted HTML as `data:` addresses: they become files, or are left out (RFC 2397). */
const EMBEDDED = "img[src^='data:' i]";
const PICTURE = /^data:image\/(?<kind>png|gif|jpe?g|webp|bmp|avif);base64,(?<bytes>[\w+/=\s]*)$/iu;

export interface Picture {
  cid: string;
  /** Where it can be seen. */
  address: string;
  name: string;
}

/** For each file, null for one that can't be read, how it is shown from now on; null for what is left out. */
export type Take = (files: readonly (File | null)[]) => readonly (Picture | null)[];

/** `before`: the HTML that the fragment was before it was cleaned, which has left pictures out already. */
export function takeEmbedded(fragment: ParentNode, before: string, take: Take): void {
  const images = [...fragment.querySelectorAll<HTMLImageElement>(EMBEDDED)];
  const gone = Math.max(0, count(before) - images.length);
  if (images.length + gone === 0) return;
  const taken = take([...images.map(({ src }) => fileOf(src)), ...Array.from({ length: gone }, () => null)]);
  for (const [nth, image] of images.entries()) {
    const picture = taken[nth] ?? null;
    if (picture === null) image.replaceWith(image.alt);
    else {
      image.src = picture.address;
      image.dataset["cid"] = picture.cid;
    }
  }
}

/** The same of HTML that is clean. */
export function withTaken(html: string, take: Take): string {
  const template = inert(html);
  takeEmbedded(template.content, "", take);
  return template.innerHTML;
}

function count(html: string): number {
  return inert(html).content.querySelectorAll(EMBEDDED).length;
}

/** In a template nothing is loaded. */
function inert(html: string): HTMLTemplateElement {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template;
}

function fileOf(address: string): File | null {
  const { kind = "", bytes = "" } = PICTURE.exec(address)?.groups ?? {};
  const data = decoded(bytes);
  if (data.length === 0) return null;
  const type = kind.toLowerCase().replace("jpg", "jpeg");
  return new File([data], `picture.${type.replace("jpeg", "jpg")}`, { type: `image/${type}` });
}

function decoded(bytes: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(bytes), (letter) => letter.codePointAt(0) ?? 0);
  } catch {
    return new Uint8Array();
  }
}
