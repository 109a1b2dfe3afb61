import { describe, expect, it } from "vitest";

import type { Message } from "@/api/schema";
import { arrange, newestOf, opensByItself, withoutDrafts } from "@/features/thread/arrange";

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

describe("drafts in a conversation", () => {
  const sent = aMessage({ id: "m1" });
  const draft = aMessage({ id: "m2", draft: true });
  const known = [{ id: "d1", message_id: "m2", account_id: "a1", to: [], subject: "", snippet: "", updated_at: "", outbox_id: null, thread_id: "t1", kind: "reply" as const }];
  const thread = (shown: Message[]) => ({ id: "t1", subject: "", position: 1, messages: shown });

  it("are not what is answered", () => {
    expect(newestOf([sent, draft])).toBe(sent);
    expect(newestOf([draft])).toBe(draft);
  });

  it("stand at the composer's place where they can be gone on with", () => {
    expect(withoutDrafts(thread([sent, draft]), known).messages).toEqual([sent]);
    expect(withoutDrafts(thread([sent, draft]), []).messages).toEqual([sent, draft]);
  });

  it("are shown where there is nothing else", () => {
    expect(withoutDrafts(thread([draft]), known).messages).toEqual([draft]);
  });
});
