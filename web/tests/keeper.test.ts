import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ApiError, UNREACHABLE } from "@/api/errors";
import type { Draft } from "@/api/schema";
import { copiesHere } from "@/features/composing/copies";
import { contentOf, Keeper, type Save } from "@/features/composing/keeper";

import { aDraft } from "./support/mail";

const SOON = 2_000;
const unreachable = new ApiError(UNREACHABLE, "", 0);
const stale = (newer: Draft) => new ApiError("newer_revision", "", 409, null, { error: {}, draft: newer });

/** A gateway that keeps one draft as the real one does. */
function kept(first = aDraft({ revision: 1, html: "<div>first</div>" })) {
  let draft = first;
  let trouble: ApiError | null = null;
  const save = vi.fn<Save>(async (_id, { revision, ...content }) => {
    if (trouble !== null) throw trouble;
    if (revision !== draft.revision) throw stale(draft);
    draft = { ...draft, ...content, revision: revision + 1 };
    return draft;
  });
  const keeper = new Keeper(first, save, copiesHere);
  return {
    keeper,
    save,
    now: () => draft,
    elsewhere: (html: string) => {
      draft = { ...draft, html, revision: draft.revision + 1 };
      return draft;
    },
    fail: (error: ApiError | null) => {
      trouble = error;
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("saving", () => {
  it("waits until the writer pauses, and then saves once", async () => {
    const { keeper, save, now } = kept();
    keeper.change({ subject: "a" });
    await vi.advanceTimersByTimeAsync(SOON - 1);
    keeper.change({ subject: "ab" });
    await vi.advanceTimersByTimeAsync(SOON - 1);
    expect(save).not.toHaveBeenCalled();
    expect(keeper.get().saving).toBe("changed");
    await vi.advanceTimersByTimeAsync(1);
    expect(save).toHaveBeenCalledOnce();
    expect(keeper.get().saving).toBe("saved");
    expect(now()).toMatchObject({ subject: "ab", revision: 2 });
  });

  it("goes on with what was written meanwhile, of the revision that the first save made", async () => {
    const { keeper, save, now } = kept();
    keeper.change({ subject: "a" });
    await vi.advanceTimersByTimeAsync(SOON);
    save.mockImplementationOnce(async (_id, body) => {
      keeper.change({ subject: "abc" });
      return { ...now(), ...body, revision: 3 };
    });
    keeper.change({ subject: "ab" });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get()).toMatchObject({ saving: "changed", content: { subject: "abc" } });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(save.mock.lastCall?.[1]).toMatchObject({ subject: "abc", revision: 3 });
  });

  it("is not worth it for what nobody typed", async () => {
    const { keeper, save } = kept();
    keeper.change({ html: "<div>signature</div>" }, true);
    await vi.advanceTimersByTimeAsync(SOON * 2);
    expect(save).not.toHaveBeenCalled();
    expect(keeper.isChanged).toBe(false);
  });

  it("is done at once when the draft is left or sent", async () => {
    const { keeper, now } = kept();
    keeper.change({ subject: "a" });
    await expect(keeper.flush()).resolves.toMatchObject({ revision: 2, subject: "a" });
    expect(now().subject).toBe("a");
  });
});

describe("without the gateway", () => {
  it("keeps the draft in this browser, and saves it when the gateway is back", async () => {
    const { keeper, fail, now } = kept();
    fail(unreachable);
    keeper.change({ subject: "offline" });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get().saving).toBe("kept");
    expect(copiesHere.read("d1")?.content.subject).toBe("offline");
    fail(null);
    keeper.retry();
    await vi.advanceTimersByTimeAsync(0);
    expect(now().subject).toBe("offline");
    expect(copiesHere.read("d1")).toBeNull();
  });

  it("tries again by itself", async () => {
    const { keeper, fail, now } = kept();
    fail(unreachable);
    keeper.change({ subject: "offline" });
    await vi.advanceTimersByTimeAsync(SOON);
    fail(null);
    await vi.advanceTimersByTimeAsync(5_001);
    expect(now().subject).toBe("offline");
  });

  it("survives that the page goes: what is found here the next time is saved", async () => {
    const { keeper, now } = kept();
    keeper.change({ subject: "typed a moment ago" });
    keeper.keepHere();
    const save = vi.fn<Save>(async (_id, body) => ({ ...now(), ...body, revision: 2 }));
    const next = new Keeper(now(), save, copiesHere);
    expect(next.get().content.subject).toBe("typed a moment ago");
    await vi.advanceTimersByTimeAsync(0);
    expect(save).toHaveBeenCalledOnce();
    expect(copiesHere.read("d1")).toBeNull();
  });

  it("asks which is meant when the draft went on elsewhere meanwhile", () => {
    const { keeper, elsewhere } = kept();
    keeper.change({ subject: "here" });
    keeper.keepHere();
    const newer = elsewhere("<div>there</div>");
    const next = new Keeper(newer, vi.fn<Save>(), copiesHere);
    expect(next.get()).toMatchObject({ newer: { html: "<div>there</div>" }, content: { subject: "here" } });
  });

  it("says why when the gateway refuses, and keeps the text", async () => {
    const { keeper, fail } = kept();
    fail(new ApiError("invalid", "too long", 400));
    keeper.change({ subject: "x" });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get()).toMatchObject({ saving: "refused", why: { message: "too long" } });
    expect(copiesHere.read("d1")?.content.subject).toBe("x");
  });
});

describe("another tab", () => {
  it("that saved is followed while nothing is written here", () => {
    const { keeper, elsewhere } = kept();
    keeper.heard(elsewhere("<div>there</div>"));
    expect(keeper.get()).toMatchObject({ content: { html: "<div>there</div>" }, saving: "saved", edition: 1, newer: null });
  });

  it("is never overwritten silently: what both wrote has to be chosen from", async () => {
    const { keeper, save, elsewhere, now } = kept();
    keeper.change({ html: "<div>mine</div>" });
    elsewhere("<div>theirs</div>");
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get()).toMatchObject({ newer: { html: "<div>theirs</div>" }, content: { html: "<div>mine</div>" } });
    keeper.change({ html: "<div>mine, more</div>" });
    await vi.advanceTimersByTimeAsync(SOON * 5);
    expect(save).toHaveBeenCalledOnce();
    expect(now().html).toBe("<div>theirs</div>");
    await expect(keeper.flush()).rejects.toMatchObject({ code: "newer_revision" });
  });

  it("gives way to mine once somebody has said so", async () => {
    const { keeper, elsewhere, now } = kept();
    keeper.change({ html: "<div>mine</div>" });
    keeper.heard(elsewhere("<div>theirs</div>"));
    keeper.choose("mine");
    await vi.advanceTimersByTimeAsync(0);
    expect(now()).toMatchObject({ html: "<div>mine</div>", revision: 3 });
    expect(keeper.get()).toMatchObject({ saving: "saved", newer: null });
  });

  it("is taken over once somebody has said so", () => {
    const { keeper, elsewhere } = kept();
    keeper.change({ html: "<div>mine</div>" });
    keeper.heard(elsewhere("<div>theirs</div>"));
    keeper.choose("theirs");
    expect(keeper.get()).toMatchObject({ content: { html: "<div>theirs</div>" }, saving: "saved", edition: 1 });
  });

  it("is not taken for one's own save, of which the event comes before the answer", async () => {
    const { keeper, save, now } = kept();
    save.mockImplementationOnce(async (_id, body) => {
      const saved = { ...now(), ...body, revision: 2 };
      keeper.heard(saved);
      return saved;
    });
    keeper.change({ subject: "a" });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get()).toMatchObject({ saving: "saved", newer: null, edition: 0 });
  });

  it("that discarded the draft ends it here, and all that is written, then or later, stays in this browser", async () => {
    const { keeper, save } = kept();
    keeper.change({ subject: "mine" });
    keeper.gone(new ApiError("not_found", "", 404));
    expect(keeper.get()).toMatchObject({ saving: "closed", content: { subject: "mine" } });
    expect(copiesHere.read("d1")?.content.subject).toBe("mine");
    keeper.change({ subject: "mine still" });
    keeper.keepHere();
    expect(copiesHere.read("d1")?.content.subject).toBe("mine still");
    await vi.advanceTimersByTimeAsync(SOON * 2);
    expect(save).not.toHaveBeenCalled();
  });

  it("that discarded a draft in which nothing is written leaves nothing", () => {
    const { keeper } = kept(aDraft());
    keeper.gone(new ApiError("not_found", "", 404));
    expect(copiesHere.read("d1")).toBeNull();
  });

  it("that sent the draft ends it here", async () => {
    const { keeper, fail } = kept();
    fail(new ApiError("being_sent", "", 409));
    keeper.change({ subject: "too late" });
    await vi.advanceTimersByTimeAsync(SOON);
    expect(keeper.get().saving).toBe("closed");
  });
});

it("what is saved is what is written, and nothing else", () => {
  expect(Object.keys(contentOf(aDraft())).toSorted()).toEqual(["bcc", "cc", "html", "identity_id", "plain", "quote", "subject", "to"]);
});
