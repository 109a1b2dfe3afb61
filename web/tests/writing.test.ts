import { describe, expect, it } from "vitest";

import { COMPOSE, draftIn, withDraft } from "@/api/composing";
import { speaksOfFile } from "@/features/composing/attachment";
import { isSameAnswer, presetOf, wishOf } from "@/features/composing/begin";
import { isSendable, joined, readPeople } from "@/features/composing/people";
import { begun, exchanged, turned } from "@/features/composing/signature";
import { readMailto } from "@/features/thread/mailto";
import { cleanFragment } from "@/ui/editor/clean";
import { linkOf } from "@/ui/editor/FormatBar";
import { htmlOf, isBlank, textOf } from "@/ui/editor/plain";
import { asShown, asStored } from "@/ui/editor/squire";
import { fieldOf, instantOf, mondayMorning, readField, tomorrowMorning } from "@/ui/i18n/moments";

import { aDraft } from "./support/mail";

describe("addresses that are pasted", () => {
  it.each([
    ["a@x.example", [["", "a@x.example"]]],
    ["a@x.example, b@x.example; c@x.example\nd@x.example", [["", "a@x.example"], ["", "b@x.example"], ["", "c@x.example"], ["", "d@x.example"]]],
    ["Maja Żak <maja@x.example>, ", [["Maja Żak", "maja@x.example"]]],
    ['"Doe, John" <john@x.example>, x@y.example', [["Doe, John", "john@x.example"], ["", "x@y.example"]]],
    [String.raw`"A \"B\" C" <a@x.example>`, [['A "B" C', "a@x.example"]]],
    ["mailto:a@x.example", [["", "a@x.example"]]],
    [" ,; \n", []],
    ["nobody", [["", "nobody"]]],
  ])("%j", (text, people) => {
    expect(readPeople(text).map(({ name, email }) => [name, email])).toEqual(people);
  });

  it("name nobody twice", () => {
    const ada = { name: "Ada", email: "ada@x.example" };
    expect(joined([ada], [{ name: "", email: "ADA@x.example" }, { name: "", email: "b@x.example" }])).toEqual([ada, { name: "", email: "b@x.example" }]);
  });

  it.each([
    ["a@x", true],
    ["żółw@łódź.example", true],
    ["a", false],
    ["a@", false],
    ["a b@x", false],
    ["a@x@y", false],
  ])("%s can be sent to: %s", (email, can) => {
    expect(isSendable({ name: "", email })).toBe(can);
  });
});

describe("plain text", () => {
  it.each(["", "one line", "two\nlines", "a\n\nb", "  indented\n\n\nthree empty ones", "1 < 2 & 3 > 2", "ends with an empty line\n"])("%j comes back as it was", (text) => {
    expect(textOf(htmlOf(text))).toBe(text);
  });

  it("of rich text has its lines and lists", () => {
    expect(textOf("<div>Hello <b>you</b></div><ul><li>one</li><li>two</li></ul><p>Bye</p>")).toBe("Hello you\n- one\n- two\nBye");
  });

  it("of nothing is nothing", () => {
    expect(isBlank("<div><br></div>")).toBe(true);
    expect(isBlank('<div><img src="cid:a"></div>')).toBe(false);
    expect(isBlank("<div>a</div>")).toBe(false);
  });
});

describe("a signature", () => {
  it("stands below the place where one writes", () => {
    expect(textOf(begun("<b>Ada</b>", false))).toBe("\n\nAda");
    expect(textOf(begun("<b>Ada</b>", true))).toBe("\n\n-- \nAda");
    expect(begun("", false)).toBe("");
  });

  it("is exchanged with the sender, and the text stays", () => {
    const html = begun("<b>Ada</b>", false).replace("<br>", "Hello");
    const after = exchanged(html, "<b>Ada</b>", "<i>Work</i>", false);
    expect(textOf(after)).toBe("Hello\n\nWork");
    expect(textOf(exchanged(after, "<i>Work</i>", "", false))).toBe("Hello\n");
  });

  it("is put in where the sender before had none", () => {
    expect(textOf(exchanged("<div>Hello</div>", "", "Ada", false))).toBe("Hello\n\nAda");
    expect(textOf(exchanged(htmlOf("Hello"), "", "Ada", true))).toBe("Hello\n\n-- \nAda");
  });

  it("that the writer has taken out stays out", () => {
    expect(exchanged("<div>Hello</div>", "Ada", "Work", false)).toBe("<div>Hello</div>");
    expect(textOf(exchanged(htmlOf("Hello"), "Ada", "Work", true))).toBe("Hello");
  });

  it("is exchanged in plain text too", () => {
    expect(textOf(exchanged(htmlOf("Hello\n\n-- \nAda"), "Ada", "Work", true))).toBe("Hello\n\n-- \nWork");
  });

  it("is marked as one in plain text", () => {
    expect(textOf(turned(begun("Ada", false), true))).toBe("\n\n-- \nAda");
  });
});

describe("a file that is spoken of", () => {
  it.each([
    ["<div>The plan is attached.</div>", true],
    ["<div>See the attachment</div>", true],
    ["<div>W załączniku przesyłam fakturę.</div>", true],
    ["<div>Załączam plan</div>", true],
    ["<div>Hello</div>", false],
    ["<div>I am a detached house</div>", false],
    ["<blockquote>the plan is attached</blockquote>", false],
    ['<div>Hi</div><div class="wm-signature">Attached Systems Ltd, attachments welcome</div>', false],
  ])("%s: %s", (html, speaks) => {
    expect(speaksOfFile(html)).toBe(speaks);
  });
});

describe("later", () => {
  const friday = new Date("2026-11-27T22:30:00Z");

  it.each([
    ["tomorrow morning", tomorrowMorning(friday, "Europe/Warsaw"), "2026-11-28T07:00:00.000Z"],
    ["Monday morning", mondayMorning(friday, "Europe/Warsaw"), "2026-11-30T07:00:00.000Z"],
    ["tomorrow, where it is Saturday already", tomorrowMorning(friday, "Asia/Tokyo"), "2026-11-28T23:00:00.000Z"],
    ["Monday, asked on a Monday", mondayMorning(new Date("2026-11-30T09:00:00Z"), "Europe/Warsaw"), "2026-12-07T07:00:00.000Z"],
    ["the morning after the clocks went forward", tomorrowMorning(new Date("2026-03-28T12:00:00Z"), "Europe/Warsaw"), "2026-03-29T06:00:00.000Z"],
    ["an hour that the clocks skip", instantOf({ year: 2026, month: 3, day: 29, hour: 2, minute: 30 }, "Europe/Warsaw"), "2026-03-29T01:30:00.000Z"],
  ])("%s", (_what, at, iso) => {
    expect(at.toISOString()).toBe(iso);
  });

  it("is read from a field as it was written", () => {
    const at = new Date("2026-11-30T17:45:00Z");
    expect(fieldOf(at, "America/New_York")).toBe("2026-11-30T12:45");
    expect(readField(fieldOf(at, "America/New_York"), "America/New_York")).toEqual(at);
    expect(readField("soon", "UTC")).toBeNull();
  });
});

describe("what enters the editor", () => {
  const entered = (html: string) => {
    const place = document.createElement("div");
    place.append(cleanFragment(html));
    return place.innerHTML;
  };

  it.each([
    ['<img src=x onerror="alert(1)">', ""],
    ["<script>alert(1)</script>a", "a"],
    ['<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
    ['<div class="fixed inset-0 z-30" id="content">a</div>', "<div>a</div>"],
    ['<form action="https://evil.example"><input name="a">b</form>', "b"],
    ['<img src="https://tracker.example/p.gif" alt="hill">', "hill"],
    ["<svg><a xlink:href='javascript:1'><text>x</text></a></svg>", ""],
    ["<style>*{display:none}</style>a", "a"],
  ])("%s is made harmless", (html, clean) => {
    expect(entered(html)).toBe(clean);
  });

  it.each([
    '<table style="border: 1px solid red;"><tbody><tr><td style="color: rgb(1, 2, 3);" width="120" colspan="2" align="center">a</td></tr></tbody></table>',
    '<a href="https://x.example/a?b=c">a</a>',
    '<img src="cid:a@b">',
    '<img src="/api/drafts/d/attachments/u" data-cid="a@b">',
    '<div class="wm-signature"><b>Ada</b></div>',
  ])("%s stays as it is", (html) => {
    expect(entered(html)).toBe(html);
  });

  it("shows pictures of the draft and names them when it is kept", () => {
    const shown = asShown('a<img src="cid:p%40x" alt="b"><img src="cid:q">', (cid) => (cid === "p@x" ? "/api/drafts/d/attachments/p" : undefined));
    expect(shown).toContain('src="/api/drafts/d/attachments/p"');
    expect(shown).toContain('data-cid="p@x"');
    expect(asStored(shown)).toContain('<img src="cid:p@x" alt="b">');
  });
});

describe("a link that is typed", () => {
  it.each([
    ["x.example/a", "https://x.example/a"],
    ["https://x.example", "https://x.example"],
    ["a@x.example", "mailto:a@x.example"],
    ["localhost:8080", "https://localhost:8080"],
    ["javascript:alert(1)", null],
    ["data:text/html,a", null],
    ["two words", null],
    ["", null],
  ])("%s leads to %s", (typed, link) => {
    expect(linkOf(typed)).toBe(link);
  });
});

describe("a mailto link", () => {
  it.each([
    ["mailto:a@x.example", { to: [{ name: "", email: "a@x.example" }] }],
    ["mailto:a@x.example?subject=unsubscribe%20me&body=yes%0D%0Aplease", { to: [{ name: "", email: "a@x.example" }], subject: "unsubscribe me", text: "yes\nplease" }],
    ["mailto:?to=a@x.example,b@x.example", { to: [{ name: "", email: "a@x.example" }, { name: "", email: "b@x.example" }] }],
    ["mailto:a@x.example?bcc=spy@x.example&attach=/etc/passwd", { to: [{ name: "", email: "a@x.example" }] }],
    ["https://x.example", null],
    ["mailto:", null],
  ])("%s", (link, asked) => {
    expect(readMailto(link)).toEqual(asked);
  });
});

describe("a draft", () => {
  it("begins as it was asked for", () => {
    expect(wishOf({ kind: "forward", message: "m1", asAttachment: true })).toEqual({ kind: "forward", account_id: null, identity_id: null, message_id: "m1", as_attachment: true, to: [] });
    expect(wishOf({ elsewhere: "m2" })).toMatchObject({ kind: "new", message_id: "m2" });
    expect(wishOf({ kind: "new", account: "a1" })).toMatchObject({ kind: "new", account_id: "a1", message_id: null });
    expect(presetOf({ kind: "new", subject: "s", text: "<b>\n" })).toEqual({ subject: "s", html: "<div>&lt;b&gt;</div><div><br></div>" });
    expect(presetOf({ kind: "new" })).toBeNull();
  });

  it("that answers the same in the same way is gone on with", () => {
    const open = aDraft({ kind: "reply", source_message_id: "m1" });
    expect(isSameAnswer({ kind: "reply", message: "m1" }, open)).toBe(true);
    expect(isSameAnswer({ kind: "reply_all", message: "m1" }, open)).toBe(false);
    expect(isSameAnswer({ kind: "new" }, aDraft())).toBe(false);
  });

  it("is named by the address", () => {
    expect(withDraft("/mail/t/t1?in=%2Fmail", "d1")).toBe(`/mail/t/t1?in=%2Fmail&${COMPOSE}=d1`);
    expect(withDraft(`/mail?${COMPOSE}=d1`, null)).toBe("/mail");
    expect(draftIn(`?${COMPOSE}=d1`)).toBe("d1");
  });
});
