import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { Account, SyncJob } from "@/api/schema";
import { AccountsPage } from "@/features/accounts/AccountsPage";
import { datesFor } from "@/ui/i18n/dates";

import { gateway, refused } from "./support/api";
import { aMailbox, anAccount } from "./support/mail";
import { show } from "./support/render";

function aJob(change: Partial<SyncJob> = {}): SyncJob {
  return {
    id: "j1",
    account_id: "a1",
    kind: "resync",
    state: "running",
    created_at: "2026-11-30T08:00:00Z",
    due_at: "2026-11-30T08:00:00Z",
    ended_at: null,
    attempt: 1,
    chunks: 3,
    messages: 750,
    code: null,
    detail: "",
    further: null,
    ...change,
  };
}

function showing(change: Partial<Account>, more = {}) {
  const asked = gateway({ "GET /api/accounts": { body: { accounts: [anAccount(change)] } }, ...more });
  show(<AccountsPage />);
  return asked;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

describe("an account's card", () => {
  it("proves that everything is here, and when that was checked", async () => {
    showing({ proof: { held: 12_345, on_server: 12_345, checked_at: minutesAgo(3), equal: true, repaired: 0, repaired_at: null } });
    expect(await screen.findByText("12,345 of 12,345 messages, checked 3 minutes ago")).toBeVisible();
    expect(screen.getByRole("img", { name: "All here" })).toBeVisible();
  });

  it("says how full the server is, where the server says so", async () => {
    showing({ quota: { used: 950_000, limit: 1_000_000 } });
    const told = await screen.findByText(/950 kB of 1 MB on the server are taken/u);
    expect(told).toHaveClass("text-warn");
  });

  it("says when something is missing", async () => {
    showing({ proof: { held: 12_340, on_server: 12_345, checked_at: minutesAgo(0), equal: false, repaired: 7, repaired_at: "2025-11-30T08:00:00Z" } });
    expect(await screen.findByRole("img", { name: "Not all here yet" })).toBeVisible();
    expect(screen.getByText(/7 put right, last 30 Nov 2025|7 put right, last Nov 30, 2025/u)).toBeVisible();
  });

  it("shows a running job, and cancels it", async () => {
    const asked = showing({ jobs: [aJob()] }, { "POST /api/sync/cancel": { body: aJob({ state: "cancelled" }) } });
    const job = within(await screen.findByRole("list", { name: "Sync jobs" }));
    expect(job.getByText(/running · 750 messages/u)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Check everything now" })).not.toBeInTheDocument();
    await userEvent.click(job.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/api/sync/cancel"))).toBe(true));
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ job: "j1" });
  });

  it("keeps the newest failure with its reason until another job follows", async () => {
    const failed = aJob({ state: "failed", code: "worker_lost", ended_at: "2026-11-30T08:10:00Z" });
    showing({ jobs: [failed, aJob({ id: "j0", state: "failed", code: "auth_failed", detail: "old" })] });
    expect(await screen.findByText(/Every attempt was cut off/u)).toBeVisible();
    expect(screen.queryByText("old")).not.toBeInTheDocument();
  });

  it("says why nothing was enqueued", async () => {
    const asked = showing({}, { "POST /api/sync": refused(409, "nothing_enqueued", "The server asked us to wait.") });
    await userEvent.click(await screen.findByRole("button", { name: "Check everything now" }));
    expect(await screen.findByText("The server asked us to wait.")).toBeVisible();
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ accounts: ["a1"], kind: "resync" });
  });

  it("lets the person choose what a mailbox is for", async () => {
    const mailboxes = [aMailbox({ id: "b1", path: "Gesendet", special_use: "sent" }), aMailbox({ id: "b2", path: "Old mail" })];
    const chosen = { body: anAccount({ mailboxes }) };
    const asked = showing({ mailboxes }, { "PATCH /api/accounts/a1/special-uses": chosen });
    await userEvent.click(await screen.findByText("Special mailboxes"));
    expect(screen.getByLabelText("Sent")).toHaveDisplayValue("Automatic: Gesendet");
    await userEvent.selectOptions(screen.getByLabelText("Archive"), "Old mail");
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    const sent: unknown = await asked.find(({ method }) => method === "PATCH")?.json();
    expect(sent).toEqual({ archive: "b2" });
  });
});

describe("what can be done with an account", () => {
  const sentTo = async (asked: Request[], method: string, path: string): Promise<unknown> => {
    const found = asked.find((request) => request.method === method && new URL(request.url).pathname === path);
    return found?.json();
  };

  it("is to give it another name and colour, by keyboard", async () => {
    const asked = showing({ color: "#123abc" }, { "PATCH /api/accounts/a1": { body: anAccount() } });
    const edit = await screen.findByRole("button", { name: "Edit" });
    edit.focus();
    await userEvent.keyboard("{Enter}");
    expect(screen.getByLabelText("Name")).toHaveFocus();
    await userEvent.keyboard("{Control>}a{/Control}At work{Enter}");
    await waitFor(() => expect(edit).toHaveFocus());
    expect(await sentTo(asked, "PATCH", "/api/accounts/a1")).toEqual({ display_name: "At work", color: "#123abc" });
    expect(edit).toHaveAttribute("aria-expanded", "false");
  });

  it("is to pause it", async () => {
    const asked = showing({}, { "PATCH /api/accounts/a1": { body: anAccount({ paused: true }) } });
    await userEvent.click(await screen.findByRole("button", { name: "Pause" }));
    await waitFor(() => expect(asked.filter(({ method }) => method === "GET")).toHaveLength(2));
    expect(await sentTo(asked, "PATCH", "/api/accounts/a1")).toEqual({ paused: true });
  });

  it("is to resume it, and until then it says that it is paused and asks for nothing", async () => {
    const asked = showing({ paused: true, state: "live" }, { "PATCH /api/accounts/a1": { body: anAccount() } });
    expect(await screen.findByText(/Its server is left alone/u)).toBeVisible();
    expect(screen.getByText(/ada@work.example · Paused/u)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Check everything now" })).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Resume" }));
    await waitFor(async () => expect(await sentTo([...asked], "PATCH", "/api/accounts/a1")).toEqual({ paused: false }));
  });

  it("is to connect it again with another password, at the servers that it has", async () => {
    const asked = showing(
      { state: "reconnect_required", state_code: "auth_failed", smtp: { host: "smtp.work.example", port: 465, tls: "ssl", username: "own", auth: "password" } },
      { "POST /api/accounts/a1/reconnect": { body: anAccount() } },
    );
    expect(await screen.findByText(/The server refused this user name or password/u)).toBeVisible();
    const again = screen.getByRole("button", { name: "Connect again" });
    await userEvent.click(again);
    expect(screen.getByLabelText("Password")).toHaveFocus();
    await userEvent.keyboard("new one{Enter}");
    await waitFor(() => expect(again).toHaveFocus());
    expect(await sentTo(asked, "POST", "/api/accounts/a1/reconnect")).toEqual({
      imap: { host: "imap.work.example", port: 993, tls: "ssl", username: "ada", password: "new one" },
      smtp: { host: "smtp.work.example", port: 465, tls: "ssl", username: "own", password: "new one" },
    });
  });

  it("is to move it to another server, which says what it dislikes", async () => {
    const answer = refused(422, "auth_failed", "Check both. The server said: 535 no such luck");
    const asked = showing({ smtp: null }, { "POST /api/accounts/a1/reconnect": answer });
    await userEvent.click(await screen.findByRole("button", { name: "Connect again" }));
    await userEvent.click(screen.getByText("Servers and user name"));
    const incoming = within(screen.getByRole("group", { name: "Incoming (IMAP)" }));
    await userEvent.clear(incoming.getByLabelText("Server"));
    await userEvent.type(incoming.getByLabelText("Server"), "imap.new.example");
    await userEvent.type(screen.getByLabelText("Password"), "new one");
    await userEvent.click(screen.getByRole("button", { name: "Test and connect" }));
    expect(await screen.findByText("535 no such luck")).toBeVisible();
    expect(await sentTo(asked, "POST", "/api/accounts/a1/reconnect")).toEqual({
      imap: { host: "imap.new.example", port: 993, tls: "ssl", username: "ada", password: "new one" },
      smtp: null,
    });
  });

  it("is to sign in again at its provider, and no password, for one that is entered there", async () => {
    const asked = showing(
      { state: "reconnect_required", imap: { host: "imap.gmail.com", port: 993, tls: "ssl", username: "ada", auth: "oauth:google" } },
      { "POST /api/accounts/oauth/start": refused(409, "not_set_up", "Ask the operator.") },
    );
    const { email, display_name } = anAccount();
    await userEvent.click(await screen.findByRole("button", { name: "Sign in with Google" }));
    await waitFor(async () => expect(await sentTo(asked, "POST", "/api/accounts/oauth/start")).toEqual({ provider: "google", email, display_name }));
    expect(screen.queryByRole("button", { name: "Connect again" })).not.toBeInTheDocument();
  });

  it("is to remove it, once its owner is sure", async () => {
    const asked = showing({}, { "DELETE /api/accounts/a1": { status: 204 } });
    await userEvent.click(await screen.findByRole("button", { name: "Remove" }));
    expect(screen.getByRole("button", { name: "Cancel" })).toHaveFocus();
    await userEvent.click(screen.getByRole("button", { name: "Yes, remove it" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  });
});

describe("how long ago", () => {
  const ago = (seconds: number, locale = "en") => {
    const now = new Date("2026-11-30T12:00:00Z");
    return datesFor(locale, "UTC").ago(new Date(now.getTime() - seconds * 1000).toISOString(), now);
  };

  it("is rough, in the reader's language", () => {
    expect([ago(5), ago(-30), ago(60), ago(7200), ago(86_400)]).toEqual(["now", "now", "1 minute ago", "2 hours ago", "yesterday"]);
    expect(ago(180, "pl")).toBe("3 minuty temu");
  });
});
