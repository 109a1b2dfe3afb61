import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import type { Candidate, Check, Found } from "@/api/wizard";
import { NewAccountPage } from "@/features/accounts/NewAccountPage";
import { SyncProgress } from "@/features/accounts/SyncProgress";

import { type Answer, gateway, refused } from "./support/api";
import { anAccount } from "./support/mail";
import { show } from "./support/render";

const EMAIL = "ada@onet.example";
const server = (host: string, port: number) => ({ host, port, tls: "ssl" as const, username: EMAIL });

const aCandidate = (change: Partial<Candidate> = {}): Candidate => ({
  source: "ispdb",
  origin: "Onet",
  imap: server("imap.poczta.example", 993),
  smtp: server("smtp.poczta.example", 465),
  auth: ["password"],
  help: null,
  foreign: false,
  ...change,
});

const aConfig = (oauth: string[]) => ({ app_domain: "mail.test", registration: "open", secure: true, recovery: false, oauth });

const found = (...candidates: Candidate[]): Answer => {
  const steps: Found["steps"] = [
    { method: "preset", status: "nothing", detail: "not known", ms: 0 },
    { method: "ispdb", status: candidates.length > 0 ? "found" : "failed", detail: "the details", ms: 84 },
  ];
  return { body: { candidates, steps } };
};

const good = (name: Check["name"]): Check => ({ name, ms: 84, code: null, message: "", detail: "" });
const GOOD: Check[] = [good("imap_connect"), good("imap_login"), good("smtp_connect"), good("smtp_login")];
const WRONG: Check[] = [good("imap_connect"), { name: "imap_login", ms: 212, code: "auth_failed", message: "Advice.", detail: "535 no" }];

interface Answers {
  discovery?: Answer;
  checks?: Check[][];
  added?: Answer;
}

/** Goes through the first step; gives what was asked of the gateway. */
async function enter({ discovery = found(aCandidate()), checks = [GOOD], added = { status: 201, body: anAccount() } }: Answers = {}) {
  const outcomes = [...checks];
  const asked = gateway({
    "GET /api/accounts": { body: { accounts: [] } },
    "POST /api/accounts/discover": discovery,
    "POST /api/accounts/test": () => ({ body: { checks: outcomes.shift() ?? GOOD } }),
    "POST /api/accounts": added,
  });
  show(<NewAccountPage />);
  await userEvent.type(screen.getByLabelText("E-mail address"), EMAIL);
  await userEvent.type(screen.getByLabelText("Password"), "app password");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  return asked;
}

const bodies = async (asked: Request[], path: string): Promise<unknown[]> =>
  Promise.all(asked.filter(({ url, method }) => method === "POST" && new URL(url).pathname === path).map(async (request) => request.json()));

describe("connecting an account", () => {
  it("needs an address and a password where the servers are found", async () => {
    const asked = await enter();
    expect(await screen.findByText("Found via ISPDB: Onet")).toBeInTheDocument();
    await userEvent.click(await screen.findByRole("button", { name: "Add this account" }));
    expect(await screen.findByRole("link", { name: "Start reading now" })).toHaveAttribute("href", "/mail");
    const login = { username: EMAIL, password: "app password" };
    const servers = {
      imap: { host: "imap.poczta.example", port: 993, tls: "ssl", ...login },
      smtp: { host: "smtp.poczta.example", port: 465, tls: "ssl", ...login },
    };
    expect(await bodies(asked, "/api/accounts/test")).toEqual([servers]);
    expect(await bodies(asked, "/api/accounts")).toEqual([{ email: EMAIL, display_name: "", ...servers }]);
  });

  it("looks once typing pauses, and not at every key", async () => {
    const asked = gateway({ "POST /api/accounts/discover": found(aCandidate()) });
    show(<NewAccountPage />);
    await userEvent.type(screen.getByLabelText("E-mail address"), EMAIL);
    expect(await screen.findByText("Found via ISPDB: Onet")).toBeInTheDocument();
    expect(asked).toHaveLength(1);
  });

  it("shows each check with its time, and adds nothing by itself", async () => {
    const asked = await enter();
    const list = await screen.findByRole("list", { name: "How the test went" });
    expect(within(list).getAllByRole("listitem").map((item) => item.textContent)).toEqual([
      "IMAP connection and certificate84 ms",
      "IMAP sign-in84 ms",
      "SMTP connection and certificate84 ms",
      "SMTP sign-in84 ms",
    ]);
    expect(screen.getByRole("button", { name: "Add this account" })).toHaveFocus();
    expect(await bodies(asked, "/api/accounts")).toEqual([]);
  });

  it("opens the settings where a test fails, with the error, the server's words and what the provider wants", async () => {
    const asked = await enter({ discovery: found(aCandidate({ help: "onet" })), checks: [WRONG, GOOD] });
    const list = await screen.findByRole("list", { name: "How the test went" });
    expect(list).toHaveTextContent("IMAP sign-in: The server refused this user name or password.");
    expect(list).toHaveTextContent("Onet needs “access for mail programs” switched on in its settings.");
    expect(list).toHaveTextContent("The server said: 535 no");
    expect(screen.getAllByLabelText("Server")[0]).toHaveValue("imap.poczta.example");
    expect(screen.getByLabelText("Password")).toHaveValue("app password");

    await userEvent.clear(screen.getByLabelText("User name"));
    await userEvent.type(screen.getByLabelText("User name"), "ada");
    await userEvent.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByRole("button", { name: "Add this account" })).toBeInTheDocument();
    expect((await bodies(asked, "/api/accounts/test"))[1]).toMatchObject({ imap: { username: "ada" }, smtp: { username: "ada" } });
  });

  it("guesses the servers where nobody knows them, and lets the usual port follow the security", async () => {
    const asked = await enter({ discovery: found() });
    expect(await screen.findByText(/We found no servers for this address/u)).toBeInTheDocument();
    const [incoming] = screen.getAllByLabelText("Security");
    if (incoming !== undefined) await userEvent.selectOptions(incoming, "STARTTLS");
    await userEvent.click(screen.getByLabelText("This account can send"));
    await userEvent.click(screen.getByRole("button", { name: "Test" }));
    await screen.findByRole("button", { name: "Add this account" });
    expect(await bodies(asked, "/api/accounts/test")).toMatchObject([
      { imap: { host: "imap.onet.example", port: 143, tls: "starttls", username: EMAIL }, smtp: null },
    ]);
  });

  it("tests anew what was changed after a test", async () => {
    await enter();
    await screen.findByRole("button", { name: "Add this account" });
    await userEvent.type(screen.getByLabelText("Password"), "!");
    expect(screen.queryByRole("button", { name: "Add this account" })).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Test" })).toBeInTheDocument();
  });

  it("tells how it looked", async () => {
    await enter();
    await userEvent.click(await screen.findByText("How we looked (2 steps)"));
    expect(screen.getByText("Thunderbird’s database (ISPDB)")).toBeVisible();
    expect(screen.getByText("the details")).toBeVisible();
  });

  it("says so when the servers are of another domain and only DNS says it", async () => {
    await enter({ discovery: found(aCandidate({ source: "srv", origin: "onet.example", foreign: true })) });
    expect(await screen.findByText(/imap.poczta.example, smtp.poczta.example/u)).toBeInTheDocument();
  });

  it("asks for no password where only the provider's own sign-in page lets programs in", async () => {
    gateway({
      "GET /api/config": { body: aConfig([]) },
      "POST /api/accounts/discover": found(aCandidate({ origin: "Outlook.com", auth: ["oauth:microsoft"] })),
    });
    show(<NewAccountPage />);
    await userEvent.type(screen.getByLabelText("E-mail address"), EMAIL);
    expect(await screen.findByText(/Outlook.com lets mail programs in only by its own sign-in page/u)).toBeInTheDocument();
    expect(screen.queryByLabelText("Password")).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Continue" })).toBeDisabled();
  });

  it("goes to the provider's own page where this installation is known there", async () => {
    const assign = vi.fn<(url: string) => void>();
    vi.stubGlobal("location", { assign, search: "", pathname: "/", href: window.location.href, origin: window.location.origin });
    const asked = gateway({
      "GET /api/config": { body: aConfig(["microsoft"]) },
      "POST /api/accounts/discover": found(aCandidate({ origin: "Outlook.com", auth: ["oauth:microsoft"] })),
      "POST /api/accounts/oauth/start": { body: { url: "https://login.example/there" } },
    });
    show(<NewAccountPage />);
    await userEvent.type(screen.getByLabelText("E-mail address"), EMAIL);
    await userEvent.click(await screen.findByRole("button", { name: "Sign in with Microsoft" }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith("https://login.example/there"));
    vi.unstubAllGlobals();
    const wish = { provider: "microsoft", email: EMAIL, display_name: "" };
    expect(await bodies(asked, "/api/accounts/oauth/start")).toEqual([wish]);
  });

  it("says why nobody was signed in at the provider", async () => {
    window.history.replaceState(null, "", "/settings/accounts/new?sign_in=denied");
    gateway({});
    show(<NewAccountPage />);
    expect(await screen.findByText(/Access was not granted there/u)).toBeInTheDocument();
    window.history.replaceState(null, "", "/");
  });

  it("goes on to reading when somebody comes back from the provider", async () => {
    const account = anAccount();
    window.history.replaceState(null, "", `/settings/accounts/new?connected=${account.id}`);
    gateway({ "GET /api/accounts": { body: { accounts: [account] } } });
    show(<NewAccountPage />);
    expect(await screen.findByRole("link", { name: "Start reading now" })).toBeInTheDocument();
    window.history.replaceState(null, "", "/");
  });

  it("goes on by hand when nobody can look", async () => {
    await enter({ discovery: refused(503, "sync_unavailable"), checks: [GOOD] });
    expect(await screen.findByText(/The sync worker is not running/u)).toBeInTheDocument();
    expect(screen.getAllByLabelText("Server")[0]).toHaveValue("imap.onet.example");
  });

  it("says what a refusal to add means and keeps what was typed", async () => {
    await enter({ added: refused(409, "account_exists") });
    await userEvent.click(await screen.findByRole("button", { name: "Add this account" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("This account is connected already.");
    expect(screen.getByLabelText("Password")).toHaveValue("app password");
  });

  it("shows the mailbox fill, with a way to begin reading", async () => {
    const filling = anAccount({ state: "backfilling", progress: { synced: 38_412, total: 101_207 } });
    await enter({ added: { status: 201, body: filling } });
    await userEvent.click(await screen.findByRole("button", { name: "Add this account" }));
    await waitFor(() => expect(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "38412"));
    expect(screen.getByText("38,412 of 101,207 messages · newest first")).toBeInTheDocument();
    expect(screen.getByText("Reading")).toBeInTheDocument();
  });

  it("says about how long the rest takes, once its pace is known", () => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(0);
    const at = (synced: number) => <SyncProgress account={anAccount({ progress: { synced, total: 1_000 } })} />;
    const { rerender } = show(at(0));
    expect(screen.queryByText(/min left/u)).not.toBeInTheDocument();
    clock.mockReturnValue(60_000);
    rerender(at(100));
    expect(screen.getByText("100 of 1,000 messages · newest first · about 9 min left")).toBeInTheDocument();
    clock.mockReturnValue(90_000);
    rerender(at(1_000));
    expect(screen.queryByText(/min left/u)).not.toBeInTheDocument();
    clock.mockRestore();
  });
});
