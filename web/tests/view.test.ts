import { describe, expect, it } from "vitest";

import { readAddress, threadPath, type View, viewParameter, viewPath } from "@/api/view";

const views: View[] = [
  { kind: "unified" },
  { kind: "account", account: "a/1" },
  { kind: "mailbox", account: "a1", mailbox: "b ż" },
  { kind: "special", special: "starred" },
  { kind: "search", q: "from me & 100%?" },
];

const read = (address: string) => {
  const [path = "", search = ""] = address.split(/\?(.*)/su);
  return readAddress(path, search);
};

describe("addresses", () => {
  it.each(views)("bring back the view $kind", (view) => {
    expect(read(viewPath(view))).toEqual({ view, thread: null });
  });

  it.each(views)("of a conversation keep the list $kind it was opened from", (view) => {
    expect(read(threadPath("t 1", view))).toEqual({ view, thread: "t 1" });
  });

  it.each(["/mail/x/y", "/mail/a/1/f", "/mail/a/1/f/2/3", "/mail/s/secret", "/mail/t", "/settings", "/mailbox"])(
    "that mean nothing are refused: %s",
    (address) => expect(read(address)).toBeNull(),
  );

  it.each(["https://evil.example", "/mail/t/1?in=/mail", "%"])("do not follow a foreign list: %s", (origin) => {
    expect(readAddress("/mail/t/1", new URLSearchParams({ in: origin }).toString())?.view).toEqual({ kind: "unified" });
  });

  it("become the API's words", () => {
    expect(views.map(viewParameter)).toEqual(["unified", "account:a/1", "mailbox:b ż", "special:starred", "search"]);
  });
});
