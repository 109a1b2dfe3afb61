import { describe, expect, it } from "vitest";

import { arrange, opensByItself } from "@/features/thread/arrange";

import { aMessage } from "./support/mail";

const messages = [aMessage({ id: "m1" }), aMessage({ id: "m2", unread: true }), aMessage({ id: "m3" })];
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

describe("arrange", () => {
  it("keeps messages oldest first when ascending", () => {
    expect(ids(arrange(messages, "asc"))).toEqual(["m1", "m2", "m3"]);
  });

  it("turns them round when descending, and leaves its argument alone", () => {
    expect(ids(arrange(messages, "desc"))).toEqual(["m3", "m2", "m1"]);
    expect(ids(messages)).toEqual(["m1", "m2", "m3"]);
  });
});

describe("what opens by itself", () => {
  it("is every unread message and the newest", () => {
    expect(opensByItself(messages)).toEqual(["m2", "m3"]);
  });

  it("is nothing in an empty conversation", () => {
    expect(opensByItself([])).toEqual([]);
  });
});
