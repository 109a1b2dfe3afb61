import { describe, expect, it } from "vitest";

import { cleanFragment } from "@/ui/editor/clean";
import { type Picture, type Take, takeEmbedded, withTaken } from "@/ui/editor/embedded";

const GIF = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";

/** Takes what can be read, and says what it was asked. */
function taking() {
  const asked: (File | null)[] = [];
  const take: Take = (files) => {
    asked.push(...files);
    return files.map((file, nth): Picture | null => (file === null ? null : { cid: `p${nth}@inline`, address: `blob:${nth}`, name: file.name }));
  };
  return { asked, take };
}

function pasted(html: string, take: Take): string {
  const fragment = cleanFragment(html);
  takeEmbedded(fragment, html, take);
  const holder = document.createElement("div");
  holder.append(fragment);
  return holder.innerHTML;
}

describe("a picture in pasted HTML", () => {
  it("becomes a file that the text names", async () => {
    const { asked, take } = taking();
    expect(pasted(`<p>Look: <img src="${GIF}" alt="a dot"></p>`, take)).toMatch(/^<p>Look: <img (?=.*src="blob:0")(?=.*data-cid="p0@inline")(?=.*alt="a dot")[^>]*><\/p>$/u);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ name: "picture.gif", type: "image/gif", size: 14 });
  });

  it.each([
    ["cannot be read", `<img src="data:image/png;base64,***" alt="a dot">`, "a dot"],
    ["is empty", `<img src="data:image/png;base64," alt="a dot">`, "a dot"],
    ["is no picture", `<img src="data:text/html;base64,PGI+" alt="a dot">`, "a dot"],
    ["could act", `<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="a drawing">`, "a drawing"],
  ])("that %s is left out, and known to be", (_why, html, left) => {
    const { asked, take } = taking();
    expect(pasted(html, take)).toBe(left);
    expect(asked).toEqual([null]);
  });

  it("that is refused leaves its words", () => {
    expect(pasted(`<img src="${GIF}" alt="a dot"> and <img src="${GIF}">`, (files) => files.map(() => null))).toBe("a dot and ");
  });

  it("that is none, or elsewhere, asks nobody", () => {
    const { asked, take } = taking();
    expect(pasted(`<p>No picture</p><img src="blob:x" data-cid="c@inline">`, take)).toContain("blob:x");
    expect(asked).toEqual([]);
  });
});

it("a signature's picture is taken without being loaded", () => {
  const { asked, take } = taking();
  expect(withTaken(`<b>Ada</b><img src="${GIF}">`, take)).toContain('data-cid="p0@inline"');
  expect(asked).toHaveLength(1);
});
