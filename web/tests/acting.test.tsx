import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { keys } from "@/api/keys";
import type { Entry, ThreadSummary } from "@/api/schema";
import { App } from "@/app/App";
import { createCache } from "@/app/cache";

import { type Answer, gateway, refused } from "./support/api";
import { ada, aMailbox, aMessage, anAccount, aSummary } from "./support/mail";

/** A socket that never says anything. */
class Silent extends EventTarget {
  send() {
    return undefined;
  }
  close() {
    return undefined;
  }
}

const rows = (...numbers: number[]) => numbers.map((n) => aSummary({ id: `t${n}`, subject: `subject ${n}`, last_message_at: `2026-11-30T07:${59 - n}:00Z` }));
const page = (threads: ThreadSummary[], position: number): Answer => ({
  body: { threads, total: threads.length, total_exact: true, next_cursor: null, position },
});
const accepted = (position: number, ...ids: string[]): Answer => ({
  body: { requests: ids.map((id) => ({ id, account_id: "a1", messages: 1 })), position },
});
const entry = (change: Partial<Entry>): Entry => ({
  id: "r1",
  account_id: "a1",
  at: "2026-11-30T08:00:00Z",
  by: "user",
  kind: "move",
  add: [],
  remove: [],
  source: null,
  target: { id: "b2", path: "Archive" },
  asked: 1,
  done: 1,
  state: "applied",
  code: null,
  reason: "",
  settled_at: null,
  undoable: true,
  why_not: "",
  undone_by: null,
  thread_id: "t1",
  subject: "subject 1",
  ...change,
});

const account = anAccount({
  mailboxes: [aMailbox({ special_use: "inbox" }), aMailbox({ id: "b2", path: "Archive", special_use: "archive" }), aMailbox({ id: "b3", path: "Księgi/Ślub" })],
});
const mail = {
  "GET /api/auth/me": { body: ada },
  "GET /api/accounts": { body: { accounts: [account] } },
  "GET /api/threads": page(rows(0, 1, 2), 5),
  "GET /api/history/r1": { body: entry({}) },
  "GET /api/history/r2": { body: entry({ id: "r2" }) },
  "GET /api/config": { body: {} },
};

beforeEach(() => vi.stubGlobal("WebSocket", Silent));

async function open(address = "/mail") {
  history.replaceState(null, "", address);
  const cache = createCache();
  render(<App cache={cache} />);
  await screen.findAllByText("subject 1");
  return cache;
}

const listed = () => screen.queryAllByRole("link", { hidden: true }).flatMap((link) => /subject \d/u.exec(link.textContent)?.[0] ?? []);
const point = async (n: number) => {
  const link = screen.getByRole("link", { name: new RegExp(`subject ${n}`, "u") });
  act(() => link.focus());
  await userEvent.click(screen.getByRole("checkbox", { name: `Choose “subject ${n}”` }));
};
const posted = (asked: Request[]) => asked.filter(({ method, url }) => method === "POST" && url.endsWith("/api/actions"));

describe("an action", () => {
  it("is shown at once and never goes back, whatever older answers come", async () => {
    let position = 5;
    let answer: (answer: Answer) => void = () => undefined;
    const asked = gateway({
      ...mail,
      "GET /api/threads": () => page(position < 7 ? rows(0, 1, 2) : rows(0, 2), position),
      "POST /api/actions": async () => new Promise<Answer>((resolve) => (answer = resolve)),
    });
    const cache = await open();
    const again = async () => act(async () => cache.invalidateQueries({ queryKey: keys.threads }));
    await point(1);
    await userEvent.keyboard("e");
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    await again();
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    await act(async () => answer(accepted(7, "r1")));
    position = 6;
    await again();
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    position = 7;
    await again();
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    const [sent] = posted(asked);
    expect(await sent?.json()).toEqual({ action: "archive", thread_ids: ["t1"], view: "unified", confirmed: false });
  });

  it("that is refused goes back, with the reason, and leaves nothing to undo", async () => {
    gateway({ ...mail, "POST /api/actions": refused(409, "other_account", "Mail can be moved only within its account.") });
    await open();
    await point(1);
    await userEvent.keyboard("!");
    const alert = await screen.findByText("That was not done. Mail can be moved only within its account.");
    expect(alert.closest("[role=alert]")).not.toBeNull();
    expect(listed()).toEqual(["subject 0", "subject 1", "subject 2"]);
    expect(screen.queryByText("Moved to junk.")).toBeNull();
    await userEvent.keyboard("z");
    expect(await screen.findByText("There is nothing to undo.")).toBeInTheDocument();
  });

  it("that the mail server refuses later is told, with its reason", async () => {
    const late = entry({ state: "refused", reason: "The mailbox is full." });
    gateway({ ...mail, "POST /api/actions": accepted(6, "r1"), "GET /api/history/r1": { body: late } });
    await open();
    await point(1);
    await userEvent.keyboard("e");
    const alert = await screen.findByText("The mail server refused a change of “subject 1”, so it is as before. The mailbox is full.");
    expect(alert.closest("[role=alert]")).not.toBeNull();
    expect(screen.queryByText("Archived.")).toBeNull();
  });

  it("is sent again with the same name when no answer came", async () => {
    let times = 0;
    const asked = gateway({ ...mail, "POST /api/actions": () => ((times += 1) === 1 ? refused(503, "unavailable") : accepted(6, "r1")) });
    await open();
    await point(1);
    await userEvent.keyboard("s");
    expect(within(screen.getByRole("link", { name: /subject 1/u })).getByRole("img", { name: "Starred" })).toBeInTheDocument();
    await waitFor(() => expect(posted(asked)).toHaveLength(2));
    const names = new Set(posted(asked).map(({ headers }) => headers.get("Idempotency-Key")));
    expect(names.size).toBe(1);
  });

  it("for which there is no mailbox goes on once one is created", async () => {
    let made = false;
    const missing: Answer = {
      status: 409,
      body: { error: { code: "no_mailbox_for", message: "" }, use: "archive", account_id: "a1", candidates: [{ id: "b3", path: "Old" }] },
    };
    const asked = gateway({
      ...mail,
      "POST /api/actions": () => (made ? accepted(6, "r1") : missing),
      "POST /api/accounts/a1/mailboxes": () => {
        made = true;
        return { status: 201, body: { id: "b2", path: "Stuff" } };
      },
    });
    await open();
    await point(1);
    await userEvent.keyboard("e");
    const dialog = await screen.findByRole("dialog", { name: "Where is the mailbox “Archive”?" });
    expect(listed()).toEqual(["subject 0", "subject 1", "subject 2"]);
    const name = within(dialog).getByLabelText("Name");
    await userEvent.clear(name);
    await userEvent.type(name, "Stuff");
    await userEvent.click(within(dialog).getByRole("button", { name: "Use it and go on" }));
    await waitFor(() => expect(listed()).toEqual(["subject 0", "subject 2"]));
    const created = asked.find(({ url }) => url.endsWith("/mailboxes"));
    expect(await created?.json()).toEqual({ name: "Stuff", use: "archive" });
    expect(posted(asked)).toHaveLength(2);
  });
});

describe("undo", () => {
  it("by z takes the last one back, at once", async () => {
    const asked = gateway({ ...mail, "POST /api/actions": accepted(6, "r1"), "POST /api/history/r1/undo": accepted(8, "r2") });
    await open();
    await point(1);
    await userEvent.keyboard("e");
    const told = await screen.findByText("Archived.");
    expect(told.closest("[role=status]")).toHaveAttribute("aria-live", "polite");
    await userEvent.keyboard("z");
    expect(listed()).toEqual(["subject 0", "subject 1", "subject 2"]);
    expect(await screen.findByText("Undone.")).toBeInTheDocument();
    expect(screen.queryByText("Archived.")).toBeNull();
    expect(asked.filter(({ url }) => url.endsWith("/api/history/r1/undo"))).toHaveLength(1);
  });

  it("that is refused says why, and the mail stays where it was put", async () => {
    gateway({
      ...mail,
      "POST /api/actions": accepted(6, "r1"),
      "POST /api/history/r1/undo": refused(409, "not_undoable", "The mail is no longer where it was moved to."),
    });
    await open();
    await point(1);
    await userEvent.keyboard("#");
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByText("That could not be undone. The mail is no longer where it was moved to.")).toBeInTheDocument();
  });
});

describe("what nothing takes back", () => {
  it("is asked about first", async () => {
    const asked = gateway({ ...mail, "POST /api/actions": accepted(6, "r1") });
    await open("/mail/s/trash");
    await point(1);
    await userEvent.keyboard("#");
    const dialog = await screen.findByRole("dialog", { name: "Delete for ever?" });
    expect(posted(asked)).toHaveLength(0);
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete for ever" }));
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    expect(await posted(asked)[0]?.json()).toMatchObject({ action: "delete", confirmed: true, view: "special:trash" });
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });
});

describe("a mailbox to move to", () => {
  it("is found without its accents and chosen by keys", async () => {
    const asked = gateway({ ...mail, "POST /api/actions": accepted(6, "r1") });
    await open();
    await point(1);
    await userEvent.keyboard("v");
    const field = await screen.findByRole("combobox", { name: "Find a mailbox" });
    await userEvent.type(field, "ksiegi");
    expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["Księgi / Ślub"]);
    await userEvent.keyboard("{Enter}");
    expect(listed()).toEqual(["subject 0", "subject 2"]);
    expect(await posted(asked)[0]?.json()).toMatchObject({ action: "move", mailbox_id: "b3", thread_ids: ["t1"] });
  });
});

describe("the numbers of unread mail", () => {
  const boxes = [aMailbox({ special_use: "inbox", unread: 2 }), aMailbox({ id: "b2", path: "Archive", name: "Archive", special_use: "archive" })];
  const counted = { ...mail, "GET /api/accounts": { body: { accounts: [anAccount({ unread: 2, mailboxes: boxes })] } }, "GET /api/threads": page(unreadRows(), 5) };
  const inInbox = () => screen.getByRole("link", { name: /^Inbox/u }).querySelector(".sr-only")?.textContent;

  function unreadRows() {
    return rows(0, 1, 2).map((row, nth) => Object.assign(row, { unread_count: nth < 2 ? 1 : 0 }));
  }

  it("follow at once, are the title's too, and come back with an undo", async () => {
    const asked = gateway({ ...counted, "POST /api/actions": accepted(6, "r1"), "POST /api/history/r1/undo": accepted(8, "r2") });
    await open();
    await waitFor(() => expect(document.title).toMatch(/^\(2\)/u));
    await point(1);
    expect(inInbox()).toBe("2 unread");
    await userEvent.keyboard("s");
    expect(document.title).toMatch(/^\(2\)/u);
    await userEvent.keyboard("e");
    expect(document.title).toMatch(/^\(1\)/u);
    expect(inInbox()).toBe("1 unread");
    await waitFor(() => expect(posted(asked)).toHaveLength(2));
    await userEvent.keyboard("z");
    await screen.findByText("Undone.");
    expect(document.title).toMatch(/^\(2\)/u);
  });

  it("go back with a refusal", async () => {
    let answer: (answer: Answer) => void = () => undefined;
    gateway({ ...counted, "POST /api/actions": async () => new Promise<Answer>((resolve) => (answer = resolve)) });
    await open();
    await waitFor(() => expect(document.title).toMatch(/^\(2\)/u));
    await point(0);
    await userEvent.keyboard("U");
    await point(2);
    await userEvent.keyboard("U");
    expect(document.title).toMatch(/^\(3\)/u);
    await act(async () => answer(refused(409, "no_mailbox", "No.")));
    await waitFor(() => expect(document.title).toMatch(/^\(2\)/u));
  });

  it("are the gateway's again as soon as it has said what came of it", async () => {
    let unread = 2;
    gateway({
      ...counted,
      "GET /api/accounts": () => ({ body: { accounts: [anAccount({ unread, mailboxes: [aMailbox({ special_use: "inbox", unread }), ...boxes.slice(1)] })] } }),
      "POST /api/actions": accepted(6, "r1"),
    });
    const cache = await open();
    await point(1);
    await userEvent.keyboard("e");
    await waitFor(() => expect(document.title).toMatch(/^\(1\)/u));
    unread = 7;
    await act(async () => cache.invalidateQueries({ queryKey: keys.accounts }));
    await waitFor(() => expect(document.title).toMatch(/^\(7\)/u));
    expect(inInbox()).toBe("7 unread");
  });
});

describe("what is opened", () => {
  const messages = [aMessage({ id: "m1", thread_id: "t1" }), aMessage({ id: "m2", thread_id: "t1", unread: true })];
  const conversation = { body: { id: "t1", subject: "subject 1", position: 5, messages } };
  const reading = {
    ...mail,
    "GET /api/threads": page([...rows(0), { ...rows(1)[0], unread_count: 1 } as ThreadSummary, ...rows(2)], 5),
    "GET /api/threads/t1": conversation,
    "GET /api/threads/t0": { body: { ...conversation.body, id: "t0" } },
    "GET /api/threads/t2": { body: { ...conversation.body, id: "t2" } },
    "GET /api/threads/t1/history": { body: { entries: [entry({})], next_cursor: null, position: 5 } },
    "POST /api/actions": accepted(6, "r1"),
  };

  it("counts as unread no more, once all of it has been seen", async () => {
    const boxes = [aMailbox({ special_use: "inbox", unread: 2 })];
    gateway({ ...reading, "GET /api/accounts": { body: { accounts: [anAccount({ unread: 2, mailboxes: boxes })] } } });
    await open("/mail/t/t1");
    await waitFor(() => expect(document.title).toMatch(/^\(1\)/u));
  });

  it("is marked read once it has been seen, and nobody is told", async () => {
    const asked = gateway(reading);
    await open("/mail/t/t1");
    await waitFor(() => expect(posted(asked)).toHaveLength(1));
    expect(await posted(asked)[0]?.json()).toEqual({
      action: "flags",
      add: [String.raw`\Seen`],
      message_ids: ["m2"],
      view: "unified",
      confirmed: false,
    });
    await waitFor(() => expect(screen.queryByText("Unread")).toBeNull());
    expect(document.querySelector("[data-toast]")).toBeNull();
  });

  it("says who moved it, with a way back", async () => {
    const asked = gateway({ ...reading, "POST /api/history/r1/undo": accepted(8, "r2") });
    await open("/mail/t/t1");
    const line = await screen.findByText(/^Archived by you, /u);
    const undo = within(line.closest("p") ?? document.body).getByRole("button", { name: "Undo" });
    await userEvent.click(undo);
    expect(await screen.findByText("Undone.")).toBeInTheDocument();
    expect(asked.some(({ url }) => url.endsWith("/api/history/r1/undo"))).toBe(true);
  });
});

describe("the history", () => {
  it("says what was done, by whom, and what became of it", async () => {
    const entries = [
      entry({ id: "r3", kind: "flags", add: [String.raw`\Flagged`], target: null, by: "rule:Bills", undoable: false, why_not: "It was taken back already." }),
      entry({ id: "r4", state: "refused", reason: "The mailbox is full.", undoable: false, asked: 3 }),
      entry({ id: "r5", subject: "Tickets" }),
    ];
    const asked = gateway({
      ...mail,
      "GET /api/history": { body: { entries, next_cursor: null, position: 5 } },
      "POST /api/history/r5/undo": accepted(8, "r2"),
    });
    history.replaceState(null, "", "/mail/history");
    render(<App cache={createCache()} />);
    const [starred, archived, last] = await screen.findAllByText(/subject 1|Tickets/u).then((links) => links.map((link) => link.closest("li")));
    expect(starred).toHaveTextContent("Starred: subject 1");
    expect(starred).toHaveTextContent("the rule Bills");
    expect(archived).toHaveTextContent("Archived: subject 1 and 2 more");
    expect(archived).toHaveTextContent("refused: The mailbox is full.");
    await userEvent.click(within(last ?? document.body).getByRole("button", { name: "Undo: Tickets" }));
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/api/history/r5/undo"))).toBe(true));
  });
});
