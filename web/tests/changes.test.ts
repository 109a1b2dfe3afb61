import { describe, expect, it } from "vitest";

import type { Verb } from "@/api/acting";
import { addChange, type Change, changedThread, NO_CHANGE } from "@/api/changes";
import { keys } from "@/api/keys";
import { listing, neighbourOf, PAGE, type Which } from "@/api/listing";
import type { Mailbox, Message, ThreadPage } from "@/api/schema";
import { UNIFIED } from "@/api/view";
import { createCache } from "@/app/cache";
import { changeFor } from "@/features/actions/wish";

import { aMailbox, aMessage, anAccount, aSummary } from "./support/mail";

const INBOX: Which = { key: "unified", place: "inbox" };
const row = (number: number) =>
  aSummary({ id: `t${number}`, last_message_at: new Date(Date.UTC(2026, 0, 1) - number * 1000).toISOString(), message_count: 3, unread_count: 1 });
const page = (numbers: number[], position = 5): ThreadPage => ({
  threads: numbers.map(row),
  total: numbers.length,
  total_exact: true,
  next_cursor: null,
  position,
});
const change = (what: Partial<Change>): Change => ({ ...NO_CHANGE, id: "c", ...what });
const archived = (...whole: string[]) => change({ whole, move: { from: "inbox", to: "archive" } });
const shown = (pages: ThreadPage[], changes: Change[], which = INBOX) => {
  const list = listing(new Map(pages.entries()), changes, which);
  const length = pages.reduce((sum, { threads }) => sum + threads.length, 0) + list.extra;
  const ids = Array.from({ length }, (_, index) => list.at(index)?.id);
  for (const [index, id] of ids.entries()) if (id !== undefined) expect(list.indexOf(id)).toBe(index);
  return ids;
};

describe("what was asked for", () => {
  it("is shown in answers that do not include it yet, and no more in those that do", () => {
    const settled = { ...archived("t1"), position: 6 };
    expect(shown([page([0, 1, 2], 5)], [archived("t1")])).toEqual(["t0", "t2"]);
    expect(shown([page([0, 1, 2], 5)], [settled])).toEqual(["t0", "t2"]);
    expect(shown([page([0, 1, 2], 6)], [settled])).toEqual(["t0", "t1", "t2"]);
  });

  it("goes on over more than one page", () => {
    const first = page(Array.from({ length: PAGE }, (_, number) => number));
    const second = page([50, 51, 52]);
    const ids = shown([first, second], [archived("t3", "t49", "t51")]);
    expect(ids).toHaveLength(PAGE);
    expect(ids.slice(-3)).toEqual(["t48", "t50", "t52"]);
  });

  it.each([
    ["the archive", { key: "special:archive", place: "archive" }],
    ["a search", { key: "search x", place: null }],
    ["another mailbox", { key: "mailbox:b9", place: "b9" }],
  ])("leaves alone what is archived in %s", (_where, which) => {
    expect(shown([page([0, 1])], [archived("t1")], which)).toEqual(["t0", "t1"]);
  });

  it.each([
    ["an account", { key: "account:a1", place: null }],
    ["another mailbox", { key: "mailbox:b9", place: "b9" }],
  ])("takes what is thrown away out of %s, too", (_where, which) => {
    expect(shown([page([0, 1])], [change({ whole: ["t1"], move: { from: "inbox", to: "trash" } })], which)).toEqual(["t0"]);
  });

  it("takes what has no star any more off the starred ones", () => {
    const unstarred = change({ whole: ["t1"], flags: { starred: false }, rows: { t1: { starred: false } } });
    expect(shown([page([0, 1])], [unstarred], { key: "special:starred", place: null })).toEqual(["t0"]);
    expect(shown([page([0, 1])], [unstarred])).toEqual(["t0", "t1"]);
  });

  it("is changed again by what was asked for later", () => {
    const flags = (id: string, unread_count: number) => change({ id, whole: ["t1"], rows: { t1: { unread_count } } });
    const list = listing(new Map([[0, page([0, 1])]]), [flags("a", 0), flags("b", 3)], INBOX);
    expect(list.at(1)?.unread_count).toBe(3);
  });
});

describe("what comes back", () => {
  const back = (...numbers: number[]) => change({ id: "back", back: { list: "unified", rows: numbers.map(row) } });

  it("stands where it stood, also in answers that are without it", () => {
    expect(shown([page([0, 2, 3], 6)], [{ ...archived("t1"), position: 6 }, back(1)])).toEqual(["t0", "t1", "t2", "t3"]);
    expect(shown([page([0, 1, 2], 5)], [archived("t1"), back(1)])).toEqual(["t0", "t1", "t2"]);
    expect(shown([page([2, 3], 6)], [back(0, 1, 4)])).toEqual(["t0", "t1", "t2", "t3", "t4"]);
  });

  it("is not there twice once an answer has it", () => {
    expect(shown([page([0, 1, 2], 7)], [{ ...back(1), position: 7 }])).toEqual(["t0", "t1", "t2"]);
  });

  it("comes back into its own list only, and goes again when that is asked for", () => {
    expect(shown([page([0], 6)], [back(1)], { key: "special:archive", place: "archive" })).toEqual(["t0"]);
    expect(shown([page([0], 6)], [back(1), archived("t1")])).toEqual(["t0"]);
  });
});

describe("a conversation", () => {
  const thread = { id: "t1", subject: "", position: 5, messages: [aMessage({ id: "m1", unread: true }), aMessage({ id: "m2", unread: true })] };

  it("shows the flags that were asked for", () => {
    const { messages } = changedThread(thread, [change({ messages: { m1: { unread: false } } }), change({ whole: ["t1"], flags: { starred: true } })]);
    expect(messages.map(({ unread, starred }) => [unread, starred])).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  it("is the same object when nothing concerns it", () => {
    expect(changedThread(thread, [change({ whole: ["t2"], flags: { starred: true } })])).toBe(thread);
  });

  it("is without the message that is thrown away by itself, but not the one that is archived", () => {
    const moved = (to: string) => change({ messages: { m2: {} }, move: { from: "inbox", to } });
    expect(changedThread(thread, [moved("trash")]).messages.map(({ id }) => id)).toEqual(["m1"]);
    expect(changedThread(thread, [moved("archive")]).messages).toHaveLength(2);
  });
});

describe("the next conversation", () => {
  const cache = createCache();
  cache.setQueryData([...keys.threads, "unified", "", 0], page([0, 1, 2]));

  it.each([
    ["t0", ["t0"], "t1"],
    ["t0", ["t0", "t1"], "t2"],
    ["t2", ["t2"], "t1"],
    ["t1", ["t0", "t1", "t2"], null],
    ["elsewhere", ["elsewhere"], null],
  ])("after %s when %j leave", (id, leaving, next) => {
    expect(neighbourOf(cache, UNIFIED, id, leaving)).toBe(next);
  });
});

describe("one message of a conversation", () => {
  const inbox = aMailbox({ special_use: "inbox", unread: 4 });
  const archive = aMailbox({ id: "b2", path: "Archive", special_use: "archive", unread: 1 });
  const junk = aMailbox({ id: "b3", path: "Spam", special_use: "junk", unread: 2 });
  const work = aMailbox({ id: "b4", path: "Work", unread: 1 });

  function reading(...messages: Message[]) {
    const cache = createCache();
    cache.setQueryData(keys.accounts, [anAccount({ mailboxes: [inbox, archive, junk, work] })]);
    cache.setQueryData([...keys.thread("t1"), "unified"], { id: "t1", subject: "", position: 5, messages });
    return (verb: Verb, message: Message, mailbox: Mailbox | null = null) => {
      const made = changeFor(cache, verb, { view: UNIFIED, threads: ["t1"], messages: [message] }, mailbox);
      addChange(cache, made);
      return made.unread;
    };
  }
  const unread = (id: string, ...mailbox_ids: string[]) => aMessage({ id, unread: true, mailbox_ids });

  it("takes its number along from wherever it is", () => {
    const one = unread("m1", "b1");
    expect(reading(one)("archive", one)).toEqual({ b1: 3, b2: 2 });
    expect(reading(one)("move", one, work)).toEqual({ b1: 3, b4: 2 });
    expect(reading(one)("delete", one)).toEqual({ b1: 3 });
    const spam = unread("m2", "b3", "b4");
    expect(reading(spam)("not_junk", spam)).toEqual({ b1: 5, b3: 1 });
    expect(reading(spam)("archive", spam)).toEqual({ b2: 2, b3: 1, b4: 0 });
  });

  it("leaves the number where another one is unread, and takes it with the last", () => {
    const [one, other] = [unread("m1", "b1"), unread("m2", "b1")];
    const act = reading(one, other);
    expect(act("archive", one)).toEqual({ b2: 2 });
    expect(act("archive", other)).toEqual({ b1: 3 });
  });

  it("that is read changes no number, until it is marked unread", () => {
    const one = aMessage({ id: "m1" });
    expect(reading(one)("archive", one)).toEqual({});
    expect(reading(one)("unread", one)).toEqual({ b1: 5 });
  });
});
