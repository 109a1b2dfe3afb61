import { render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Job } from "@/api/jobs";
import { App } from "@/app/App";
import { createCache } from "@/app/cache";

import { type Answer, gateway, refused } from "./support/api";
import { ada, aMailbox, anAccount, aSummary } from "./support/mail";

/** A socket that never says anything. */
class Silent extends EventTarget {
  send() {
    return undefined;
  }
  close() {
    return undefined;
  }
}

const rows = Array.from({ length: 3 }, (_, n) => aSummary({ id: `t${n}`, subject: `subject ${n}`, last_message_at: `2026-11-30T07:${59 - n}:00Z` }));
const list = (total: number, exact = true): Answer => ({ body: { threads: rows, total, total_exact: exact, next_cursor: null, position: 5 } });
const job = (change: Partial<Job>): Job => ({
  id: "j1",
  action: "archive",
  state: "running",
  settled: false,
  total: 900,
  asked: 0,
  done: 0,
  refused: 0,
  code: null,
  reason: "",
  undoable: false,
  undoes: null,
  created_at: "2026-11-30T08:00:00Z",
  settled_at: null,
  ...change,
});
const mail = {
  "GET /api/auth/me": { body: ada },
  "GET /api/accounts": { body: { accounts: [anAccount({ mailboxes: [aMailbox({ special_use: "inbox" })] })] } },
  "GET /api/threads": list(900),
  "GET /api/actions/jobs": { body: { jobs: [] } },
  "GET /api/config": { body: {} },
};

beforeEach(() => vi.stubGlobal("WebSocket", Silent));

async function open(address = "/mail") {
  history.replaceState(null, "", address);
  render(<App cache={createCache()} />);
  await screen.findAllByText("subject 1");
}

async function chooseLoaded() {
  await userEvent.click(screen.getByRole("checkbox", { name: "Choose “subject 0”" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "Choose all 3 that are loaded" }));
}

const posted = async (asked: Request[], path: string) =>
  Promise.all(asked.filter(({ method, url }) => method === "POST" && new URL(url).pathname === path).map(async (one) => (await one.json()) as unknown));

describe("everything that a list holds", () => {
  it("is offered once all that is loaded is chosen, and is asked for as one job", async () => {
    const jobs: Job[] = [];
    const asked = gateway({
      ...mail,
      "GET /api/actions/jobs": () => ({ body: { jobs } }),
      "POST /api/actions/everything": () => {
        jobs.push(job({}));
        return { status: 202, body: jobs[0] };
      },
    });
    await open();
    await userEvent.click(screen.getByRole("checkbox", { name: "Choose “subject 0”" }));
    expect(screen.queryByRole("button", { name: /Choose all 900/u })).toBeNull();
    await userEvent.click(screen.getByRole("checkbox", { name: "Choose all 3 that are loaded" }));
    await userEvent.click(screen.getByRole("button", { name: "Choose all 900 conversations in this list" }));
    const bar = screen.getByRole("toolbar", { name: "Chosen conversations" });
    expect(within(bar).getByRole("status").textContent).toContain("900 chosen");
    await userEvent.click(within(bar).getByRole("button", { name: /Archive/u }));
    await screen.findByText("0 of 900 messages");
    expect(await posted(asked, "/api/actions/everything")).toEqual([{ action: "archive", view: "unified", q: "", confirmed: false }]);
    expect(await posted(asked, "/api/actions")).toEqual([]);
    expect(screen.queryByRole("toolbar", { name: "Chosen conversations" })).toBeNull();
  });

  it("is no more than what is chosen when one of them is not", async () => {
    const asked = gateway({ ...mail, "POST /api/actions": { body: { requests: [], position: 6 } } });
    await open();
    await chooseLoaded();
    await userEvent.click(screen.getByRole("button", { name: /Choose all 900/u }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Choose “subject 1”" }));
    await userEvent.keyboard("e");
    await waitFor(async () => expect(await posted(asked, "/api/actions")).toMatchObject([{ thread_ids: ["t0", "t2"] }]));
    expect(await posted(asked, "/api/actions/everything")).toEqual([]);
  });

  it("is not offered where everything is loaded", async () => {
    gateway({ ...mail, "GET /api/threads": list(3) });
    await open();
    await chooseLoaded();
    expect(screen.queryByRole("button", { name: /Choose all \d+ conversations/u })).toBeNull();
  });

  it("is all that a search finds, however much that is", async () => {
    const asked = gateway({ ...mail, "GET /api/threads": list(3, false), "POST /api/actions/everything": { status: 202, body: job({}) } });
    await open("/mail/search?q=plan");
    await chooseLoaded();
    await userEvent.click(screen.getByRole("button", { name: "Choose all that this search finds" }));
    await userEvent.keyboard("s");
    await waitFor(async () =>
      expect(await posted(asked, "/api/actions/everything")).toEqual([
        { action: "flags", add: [String.raw`\Flagged`], view: "search", q: "plan", confirmed: false },
      ]),
    );
  });

  it("stays as it is when the gateway says no, and says why", async () => {
    gateway({ ...mail, "POST /api/actions/everything": refused(409, "too_many_jobs") });
    await open();
    await chooseLoaded();
    await userEvent.click(screen.getByRole("button", { name: /Choose all 900/u }));
    await userEvent.keyboard("e");
    expect((await screen.findByRole("alert")).textContent).toContain("That was not done.");
  });
});

describe("a job", () => {
  it("is shown after a reload with how far it is, and can be cancelled and then taken back", async () => {
    let now = job({ asked: 600, done: 300 });
    const asked = gateway({
      ...mail,
      "GET /api/actions/jobs": () => ({ body: { jobs: [now] } }),
      "POST /api/actions/jobs/j1/cancel": () => {
        now = job({ state: "cancelled", settled: true, asked: 600, done: 600, undoable: true });
        return { body: now };
      },
      "POST /api/actions/jobs/j1/undo": () => {
        const back = job({ id: "j2", action: "undo", undoes: "j1", total: 600 });
        return { status: 202, body: back };
      },
    });
    await open();
    const bar = await screen.findByRole("progressbar", { name: "Archive" });
    expect([bar.getAttribute("aria-valuenow"), bar.getAttribute("aria-valuemax")]).toEqual(["300", "900"]);
    const notices = screen.getByRole("region", { name: "Jobs under way" });
    await userEvent.click(within(notices).getByRole("button", { name: "Cancel" }));
    await within(notices).findByText("Cancelled after 600 messages.");
    await userEvent.click(within(notices).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(within(notices).queryByText("Cancelled after 600 messages.")).toBeNull());
    expect(asked.map(({ url }) => new URL(url).pathname)).toContain("/api/actions/jobs/j1/undo");
  });

  it("that was settled before the page was opened is not told of", async () => {
    gateway({ ...mail, "GET /api/actions/jobs": { body: { jobs: [job({ state: "done", settled: true, done: 900 })] } } });
    await open();
    expect(screen.queryByText("900 messages done.")).toBeNull();
  });
});
