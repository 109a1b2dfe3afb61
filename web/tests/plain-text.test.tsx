import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { pieces } from "@/features/thread/links";
import { PlainText } from "@/features/thread/PlainText";
import { passages } from "@/features/thread/quoted";

import { show } from "./support/render";

const folded = (body: string) => passages(body).map(({ quoted, text }) => [quoted, text]);

describe("quoted text", () => {
  it("is folded with the line that introduces it", () => {
    expect(folded("Yes.\n\nOn Sat, 28 Nov 2026, Noah <n@example.org> wrote:\n> Shall we?\n>\n> Noah\n")).toEqual([
      [false, "Yes.\n"],
      [true, "On Sat, 28 Nov 2026, Noah <n@example.org> wrote:\n> Shall we?\n>\n> Noah"],
    ]);
  });

  it("is folded with an introduction of two lines, in Polish", () => {
    expect(folded("Tak.\nW dniu 28.11.2026 o 18:02,\nZofia Nowak pisze:\n> Czy?")).toEqual([
      [false, "Tak."],
      [true, "W dniu 28.11.2026 o 18:02,\nZofia Nowak pisze:\n> Czy?"],
    ]);
  });

  it("stays in sight where it is short and answered below", () => {
    expect(folded("> Shall we?\nYes.")).toEqual([
      [false, "> Shall we?"],
      [false, "Yes."],
    ]);
  });

  it("stays in sight where there is nothing else", () => {
    expect(folded("> all\n> quoted").every(([quoted]) => quoted === false)).toBe(true);
  });

  it("is in the page, unopened", () => {
    show(<PlainText text={"Yes.\n> Shall we?"} />);
    expect(screen.getByRole("group")).not.toHaveAttribute("open");
    expect(screen.getByText("Yes.")).toBeInTheDocument();
  });
});

describe("links in plain text", () => {
  it.each([
    ["See https://example.org/a.", "https://example.org/a"],
    ["(https://example.org/a)", "https://example.org/a"],
    ["https://example.org/Kraków_(city)", "https://example.org/Kraków_(city)"],
    ["<https://example.org/?q=1&r=2>", "https://example.org/?q=1&r=2"],
  ])("are found in %s", (text, address) => {
    expect(pieces(text).find(({ kind }) => kind === "link")?.text).toBe(address);
    expect(pieces(text).map((piece) => piece.text).join("")).toBe(text);
  });

  it("are only ever http: nothing else becomes a link", () => {
    const text = "javascript:alert(1) data:text/html,x file:///etc/passwd";
    expect(pieces(text)).toEqual([{ kind: "text", text, at: 0 }]);
  });

  it("open elsewhere and tell nothing about this page", () => {
    show(<PlainText text="https://example.org" />);
    expect(screen.getByRole("link")).toHaveAttribute("rel", "noopener noreferrer");
    expect(screen.getByRole("link")).toHaveAttribute("target", "_blank");
  });

  it("are text, whatever the text looks like", () => {
    show(<PlainText text={'<img src=x onerror="alert(1)">'} />);
    expect(document.querySelector("img")).toBeNull();
  });
});
