import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { keys } from "@/api/keys";
import type { Account } from "@/api/schema";
import { arrive } from "@/api/session";
import { App } from "@/app/App";
import { createCache } from "@/app/cache";

import { type Answer, gateway, refused } from "./support/api";
import { ada, aDraft, aMailbox, anAccount, aSummary } from "./support/mail";

/** A socket that only does what a test says. */
class Silent extends EventTarget {
  static latest: Silent;
  constructor() {
    super();
    Silent.latest = this;
  }
  happens(event: string, more = {}) {
    act(() => void this.dispatchEvent(Object.assign(new Event(event), more)));
  }
  send() {
    return undefined;
  }
  close() {
    return undefined;
  }
}

const signedOut = refused(401, "not_signed_in");
const threads: Answer = {
  body: { threads: [aSummary()], total: 1, total_exact: true, next_cursor: null, position: 1 },
};
const mail = {
  "GET /api/auth/me": { body: ada },
  "GET /api/accounts": { body: { accounts: [anAccount()] } },
  "GET /api/threads": threads,
  "GET /api/config": { body: { app_domain: "webmail.example", registration: "open", secure: true } },
};

beforeEach(() => vi.stubGlobal("WebSocket", Silent));

function open(address: string) {
  history.replaceState(null, "", address);
  const cache = createCache();
  render(<App cache={cache} />);
  return cache;
}

describe("who is not signed in", () => {
  it("is brought to the sign-in page, and then to where they wanted to go", async () => {
    gateway({ ...mail, "GET /api/auth/me": signedOut, "POST /api/auth/login": { body: ada } });
    open("/mail/s/starred");
    await screen.findByRole("heading", { name: "Sign in" });
    expect(location.search).toBe("?next=%2Fmail%2Fs%2Fstarred");
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "secret{Enter}");
    expect(await screen.findByRole("heading", { name: "Starred" })).toBeInTheDocument();
    expect(location.pathname).toBe("/mail/s/starred");
  });

  it.each(["https://evil.example/mail", "//evil.example", "/api/auth/logout"])("is not led astray to %s", async (next) => {
    gateway({ ...mail, "GET /api/auth/me": signedOut, "POST /api/auth/login": { body: ada } });
    open(`/login?${new URLSearchParams({ next })}`);
    await userEvent.type(await screen.findByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "secret{Enter}");
    await waitFor(() => expect(location.pathname).toBe("/mail"));
  });
});

describe("the session", () => {
  it("ends in this tab when any answer says that it has ended", async () => {
    let over = false;
    gateway({ ...mail, "GET /api/threads": () => (over ? signedOut : threads) });
    const cache = open("/mail");
    await screen.findByText("Train tickets");
    over = true;
    await act(async () => cache.invalidateQueries({ queryKey: keys.threads }));
    expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
  });

  it("leaves nothing behind when one signs out", async () => {
    const asked = gateway({ ...mail, "POST /api/auth/logout": { status: 204 } });
    document.cookie = "__Host-csrf=token%3D; Secure; Path=/";
    const cache = open("/mail");
    await screen.findByText("Train tickets");
    await userEvent.click(screen.getByRole("button", { name: /You:/u }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Sign out" }));
    expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
    expect(cache.getQueriesData({ queryKey: keys.threads })).toEqual([]);
    expect(asked.find(({ method }) => method === "POST")?.headers.has("X-CSRF")).toBe(true);
  });

  describe("with a draft open", () => {
    let requests: Request[] = [];
    let refusal: Answer | null = null;
    let held: LockInfo[] = [];
    let other = new BroadcastChannel("webmail.tabs");

    beforeEach(() => {
      refusal = null;
      held = [];
      Object.defineProperty(navigator, "locks", { configurable: true, value: { request: async () => undefined, query: async () => ({ held }) } });
      other.close();
      other = new BroadcastChannel("webmail.tabs");
      const draft = aDraft({ revision: 1 });
      requests = gateway({
        ...mail,
        "POST /api/auth/logout": { status: 204 },
        "GET /api/drafts": { body: { drafts: [] } },
        "GET /api/drafts/d1": { body: draft },
        "PUT /api/drafts/d1": () => refusal ?? { body: { draft: { ...draft, revision: 2, subject: "Plan" } } },
        "GET /api/send": { body: { sends: [], next_cursor: null, position: 1 } },
      });
    });

    afterEach(() => void Reflect.deleteProperty(navigator, "locks"));

    const asked = () => requests.filter(({ method }) => method !== "GET").map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    const kept = () => Object.keys(localStorage).filter((key) => key.startsWith("webmail.draft."));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel's has none
    const say = (what: string, to = "") => other.postMessage({ say: what, tab: "other", to });

    async function write() {
      open("/mail?compose=d1");
      await userEvent.type(await screen.findByRole("textbox", { name: "Subject" }), "Plan");
    }

    async function leave() {
      await userEvent.click(screen.getByRole("button", { name: /You:/u }));
      await userEvent.click(await screen.findByRole("menuitem", { name: "Sign out" }));
    }

    it("saves what was written last before one signs out", async () => {
      await write();
      await leave();
      expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
      expect(asked()).toEqual(["PUT /api/drafts/d1", "POST /api/auth/logout"]);
      globalThis.dispatchEvent(new Event("pagehide"));
      expect(kept()).toEqual([]);
    });

    it("says what could not be saved, and keeps nothing of it when one signs out anyway", async () => {
      refusal = refused(503, "trouble");
      await write();
      await leave();
      await userEvent.click(await screen.findByRole("button", { name: /^Sign out anyway/u }));
      expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
      globalThis.dispatchEvent(new Event("pagehide"));
      expect(kept()).toEqual([]);
    });

    /** The other tab, which answers so when it is asked to save. */
    function answering(answer: string) {
      const heard: string[] = [];
      other.addEventListener("message", ({ data }: MessageEvent<{ say: string; tab: string }>) => {
        heard.push(data.say);
        if (data.say === "save") say(answer, data.tab);
      });
      held = [{ name: "webmail.tab.other" }, { name: "another's" }];
      return heard;
    }

    it("asks other tabs to save as well, and tells them when one has left", async () => {
      const heard = answering("saved");
      await write();
      await leave();
      expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
      await waitFor(() => expect(heard).toEqual(["save", "left"]));
    });

    it("says so when something could not be saved in another tab", async () => {
      answering("unsaved");
      await write();
      await leave();
      expect(await screen.findByRole("button", { name: /^Sign out anyway/u })).toBeInTheDocument();
      expect(asked()).toEqual(["PUT /api/drafts/d1"]);
    });

    it("saves for another tab in which one signs out, and then leaves too", async () => {
      const heard: string[] = [];
      other.addEventListener("message", ({ data }: MessageEvent<{ say: string }>) => void heard.push(data.say));
      await write();
      say("save");
      await waitFor(() => expect(heard).toEqual(["saved"]));
      expect(asked()).toEqual(["PUT /api/drafts/d1"]);
      say("left");
      expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
    });

    it("keeps what a session that ended could not save, for the same person and nobody else", async () => {
      await write();
      refusal = refused(401, "not_signed_in");
      Silent.latest.happens("close", { code: 4401 });
      expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
      expect(kept()).toEqual(["webmail.draft.d1"]);
      arrive(ada.user_id);
      expect(kept()).toEqual(["webmail.draft.d1"]);
      arrive("somebody else");
      expect(kept()).toEqual([]);
    });
  });

  it("is asked for again when the server could not be reached", async () => {
    let down = true;
    gateway({ ...mail, "GET /api/auth/me": () => (down ? refused(400, "odd") : { body: ada }) });
    open("/mail");
    const again = await screen.findByRole("button", { name: "Try again" });
    down = false;
    await userEvent.click(again);
    expect(await screen.findByText("Train tickets")).toBeInTheDocument();
  });
});

describe("the live connection", () => {
  it("says whether what is shown is current", async () => {
    gateway(mail);
    open("/mail");
    await screen.findByText("Train tickets");
    expect(screen.getByText("Connecting…")).toBeInTheDocument();
    Silent.latest.happens("open");
    expect(screen.getByText("Up to date")).toBeInTheDocument();
    Silent.latest.happens("close", { code: 1006 });
    expect(screen.getByText("Reconnecting…")).toBeInTheDocument();
  });

  it("says how far a first sync has come, and which account needs help", async () => {
    const accounts = [anAccount({ state: "backfilling", progress: { synced: 1200, total: 5000 } })];
    gateway({ ...mail, "GET /api/accounts": () => ({ body: { accounts } }) });
    const cache = open("/mail");
    await screen.findByText("Train tickets");
    Silent.latest.happens("open");
    expect(screen.getByText("Syncing 1,200 of 5,000")).toBeInTheDocument();
    accounts.push(anAccount({ id: "a2", state: "reconnect_required" }));
    await act(async () => cache.invalidateQueries({ queryKey: keys.accounts }));
    expect(await screen.findByText("1 account needs you")).toBeInTheDocument();
  });

  it("brings a new conversation into the list by naming it only", async () => {
    let rows = [aSummary()];
    gateway({
      ...mail,
      "GET /api/threads": () => ({ body: { threads: rows, total: rows.length, total_exact: true, next_cursor: null, position: 1 } }),
    });
    open("/mail");
    await screen.findByText("Train tickets");
    rows = [aSummary({ id: "t2", subject: "Just arrived" }), ...rows];
    const payload = { user_id: "u1", position: 2, account_id: "a1", mailbox_id: "b1", message_id: "m2", thread_id: "t2" };
    Silent.latest.happens("message", { data: JSON.stringify({ event: "message.new", payload }) });
    expect(await screen.findByText("Just arrived")).toBeInTheDocument();
  });

  it("signs this tab out when the session is revoked", async () => {
    gateway(mail);
    open("/mail");
    await screen.findByText("Train tickets");
    Silent.latest.happens("close", { code: 4401 });
    expect(await screen.findByRole("heading", { name: "Sign in" })).toBeInTheDocument();
  });
});

describe("the page", () => {
  it("speaks the reader's language", async () => {
    gateway({ ...mail, "GET /api/auth/me": { body: { ...ada, settings: { ...ada.settings, language: "pl" } } } });
    open("/mail");
    expect(await screen.findByRole("heading", { name: "Odebrane" })).toBeInTheDocument();
    expect(document.documentElement.lang).toBe("pl");
  });

  it("has the reader's colours, and remembers them for the next first paint", async () => {
    gateway({ ...mail, "GET /api/auth/me": { body: { ...ada, settings: { ...ada.settings, theme: "dark" } } } });
    open("/mail");
    await screen.findByText("Train tickets");
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    expect(localStorage.getItem("webmail.theme")).toBe("dark");
  });

  it("says in its title how much is unread", async () => {
    gateway(mail);
    open("/mail");
    await waitFor(() => expect(document.title).toBe("(3) Inbox — Webmail"));
  });

  describe("announces", () => {
    const boxes = [aMailbox({ special_use: "inbox" }), aMailbox({ id: "b2", path: "Sent", special_use: "sent" })];
    let account = anAccount();

    async function reading() {
      gateway({ ...mail, "GET /api/accounts": () => ({ body: { accounts: [account] } }) });
      const cache = open("/mail");
      await waitFor(() => expect(document.title).toContain("(3)"));
      const change = async (part: Partial<Account>) => {
        account = { ...account, ...part };
        await act(async () => cache.invalidateQueries({ queryKey: keys.accounts }));
        await waitFor(() => expect(document.title).toContain(`(${account.unread})`));
      };
      return change;
    }
    const arrives = (mailbox_id: string) => {
      const payload = { user_id: "u1", position: 2, account_id: "a1", mailbox_id, message_id: "m2", thread_id: "t2" };
      Silent.latest.happens("message", { data: JSON.stringify({ event: "message.new", payload }) });
    };

    beforeEach(() => {
      account = anAccount({ mailboxes: boxes });
    });

    it("what arrives", async () => {
      const change = await reading();
      arrives("b1");
      await change({ unread: 4 });
      expect(await screen.findByText("New mail: 4 unread conversations")).toHaveAttribute("aria-live", "polite");
    });

    it("nothing when somebody marks mail as unread, whatever arrived before that", async () => {
      const change = await reading();
      arrives("b1");
      await change({ unread: 4 });
      arrives("b2");
      await change({ unread: 5 });
      await change({ unread: 6 });
      expect(screen.getByText("New mail: 4 unread conversations")).toBeInTheDocument();
    });

    it("nothing of a mailbox that is read for the first time, also when that has ended", async () => {
      account = { ...account, state: "backfilling" };
      const change = await reading();
      arrives("b1");
      await change({ unread: 4 });
      arrives("b1");
      await change({ state: "live" });
      await change({ unread: 5 });
      expect(screen.queryByText(/^New mail: /u)).toBeNull();
    });
  });

  it("knows when nothing is at an address", async () => {
    gateway(mail);
    open("/mail/s/nonsense");
    expect(await screen.findByText("There is nothing at this address.")).toBeInTheDocument();
  });

  it("lets one skip to the mail", async () => {
    gateway(mail);
    open("/mail");
    await screen.findByText("Train tickets");
    await userEvent.tab();
    expect(document.activeElement).toHaveTextContent("Skip to the mail");
    expect(document.activeElement).toHaveAttribute("href", `#${screen.getByRole("main").id}`);
  });
});

describe("keys everywhere", () => {
  it("focus the search with /, search with Enter, and leave with Esc", async () => {
    gateway(mail);
    open("/mail");
    await screen.findByText("Train tickets");
    await userEvent.keyboard("/");
    const field = screen.getByRole("searchbox", { name: "Search mail" });
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard("j?gi{Escape}");
    expect(document.activeElement).not.toBe(field);
    expect(location.pathname).toBe("/mail");
    await userEvent.keyboard("/");
    await userEvent.keyboard("faktura{Enter}");
    await waitFor(() => expect(location.pathname + location.search).toBe("/mail/search?q=faktura"));
  });

  it("go to the inbox with g i", async () => {
    gateway(mail);
    open("/mail/s/starred");
    await screen.findByRole("heading", { name: "Starred" });
    await userEvent.keyboard("gi");
    await waitFor(() => expect(location.pathname).toBe("/mail"));
  });

  it("show their sheet with ?, and nothing else happens under it", async () => {
    gateway(mail);
    open("/mail/s/starred");
    await screen.findByRole("heading", { name: "Starred" });
    await userEvent.keyboard("?");
    expect(await screen.findByRole("dialog", { name: "Keys" })).toBeInTheDocument();
    await userEvent.keyboard("gi");
    expect(location.pathname).toBe("/mail/s/starred");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});
