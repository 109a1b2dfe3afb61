import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { browserOf } from "@/features/settings/browserOf";
import { ImageSenders } from "@/features/settings/ImageSenders";
import { Recovery } from "@/features/settings/Recovery";
import { Sessions } from "@/features/settings/Sessions";
import { ProfilePage } from "@/features/settings/SettingsPage";
import { TwoStep } from "@/features/settings/TwoStep";

import { gateway, refused } from "./support/api";
import { ada } from "./support/mail";
import { show } from "./support/render";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const aSession = (change = {}) => ({
  id: "s1",
  user_agent: CHROME,
  network: "192.0.2.1",
  created_at: "2026-11-30T07:58:00Z",
  last_seen_at: "2026-11-30T07:58:00Z",
  current: false,
  ...change,
});

describe("a browser's name", () => {
  it.each([
    [CHROME, "Chrome, Linux"],
    [`${CHROME} Edg/140.0`, "Edge, Linux"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Safari/605.1", "Safari, macOS"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 (KHTML, like Gecko) Version/18.0 Mobile Safari/604", "Safari, iPhone"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Windows"],
    ["curl/8.5", null],
    ["", null],
  ])("from %s is %s", (agent, name) => {
    expect(browserOf(agent)).toBe(name);
  });
});

describe("sessions", () => {
  it("show where they are, and only others can be ended", async () => {
    let ended = false;
    const asked = gateway({
      "GET /api/auth/sessions": () => ({ body: { sessions: [aSession({ current: true }), ...(ended ? [] : [aSession({ id: "s2", user_agent: "curl/8.5" })])] } }),
      "DELETE /api/auth/sessions/s2": () => {
        ended = true;
        return { status: 204 };
      },
    });
    show(<Sessions />);
    expect(await screen.findByText("192.0.2.1 · this browser")).toBeInTheDocument();
    expect(screen.getAllByRole("listitem")).toHaveLength(2);
    await userEvent.click(screen.getByRole("button", { name: "Sign out curl/8.5" }));
    await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(1));
    expect(screen.queryByRole("button")).not.toBeInTheDocument();
    expect(asked.filter(({ method }) => method === "DELETE")).toHaveLength(1);
  });
});

describe("two-step sign-in", () => {
  it("is shown as a picture, proven by a code, and gives recovery codes once", async () => {
    let enabled = false;
    gateway({
      "GET /api/auth/totp": () => ({ body: { enabled, recovery_codes_left: enabled ? 2 : 0 } }),
      "POST /api/auth/totp/setup": { body: { uri: "otpauth://totp/x", qr: "<svg/>", secret: "ABCDEFGH" } },
      "POST /api/auth/totp/enable": () => {
        enabled = true;
        return { body: { codes: ["aaaa-bbbb", "cccc-dddd"] } };
      },
    });
    show(<TwoStep />);
    await userEvent.click(await screen.findByRole("button", { name: "Switch on" }));
    await userEvent.type(screen.getByLabelText("Your password"), "correct horse{Enter}");
    expect(await screen.findByRole("img", { name: /QR code/u })).toHaveAttribute("src", "data:image/svg+xml,%3Csvg%2F%3E");
    expect(screen.getByText("ABCD EFGH")).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText("Code that the app shows"), "123456{Enter}");
    const codes = await screen.findByRole("list", { name: "Recovery codes" });
    expect(within(codes).getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["aaaa-bbbb", "cccc-dddd"]);
    expect(await screen.findByText("2 recovery codes left.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "I have kept them" }));
    expect(screen.queryByText("aaaa-bbbb")).not.toBeInTheDocument();
  });

  it("says that the password is wrong and stays where it is", async () => {
    gateway({ "GET /api/auth/totp": { body: { enabled: true, recovery_codes_left: 9 } }, "POST /api/auth/totp/disable": refused(403, "wrong_password") });
    show(<TwoStep />);
    await userEvent.click(await screen.findByRole("button", { name: "Switch off" }));
    await userEvent.type(screen.getByLabelText("Your password"), "x");
    await userEvent.type(screen.getByLabelText("Code"), "123456{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("This is not your password.");
    expect(screen.getByLabelText("Code")).toHaveValue("123456");
  });
});

describe("a recovery address", () => {
  it("is shown, and another gets a link first", async () => {
    const asked = gateway({ "GET /api/auth/recovery": { body: { email: "ada@old.example" } }, "PUT /api/auth/recovery": { status: 202 } });
    show(<Recovery />);
    expect(await screen.findByText(/ada@old.example/u)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Change it" }));
    await userEvent.type(screen.getByLabelText("Your password"), "correct horse");
    await userEvent.type(screen.getByLabelText("E-mail address"), "ada@new.example{Enter}");
    expect(await screen.findByText(/A link was sent there/u)).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "PUT")?.json()).toEqual({ password: "correct horse", email: "ada@new.example" });
  });
});

describe("senders whose images load", () => {
  it("are taken off the list", async () => {
    let senders = ["news@example.org"];
    const asked = gateway({
      "GET /api/settings/image-senders": () => ({ body: { senders } }),
      "DELETE /api/settings/image-senders": () => {
        senders = [];
        return { status: 204 };
      },
    });
    show(<ImageSenders />);
    await userEvent.click(await screen.findByRole("button", { name: /news@example.org/u }));
    expect(await screen.findByText(/allowed no sender/u)).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "DELETE")?.json()).toEqual({ sender: "news@example.org" });
  });
});

describe("the profile", () => {
  const config = (registration: string) => ({ body: { app_domain: "webmail.example", registration, secure: true } });

  it("saves how long sending can be taken back", async () => {
    const settings = { ...ada.settings, undo_window: 30 };
    const asked = gateway({ "GET /api/auth/me": { body: ada }, "GET /api/config": config("open"), "PATCH /api/settings": { body: settings } });
    show(<ProfilePage />);
    const choice = await screen.findByLabelText("Undo sending");
    await waitFor(() => expect(choice).toHaveValue("10"));
    await userEvent.selectOptions(choice, "30 seconds");
    expect(await screen.findByText("Saved.")).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toEqual({ undo_window: 30 });
  });

  it("keeps what was chosen when an older answer comes late", async () => {
    const settings = { ...ada.settings, undo_window: 30 };
    const reads: ((body: unknown) => void)[] = [];
    gateway({
      "GET /api/auth/me": async () => ({ body: await new Promise((answer) => reads.push(answer)) }),
      "GET /api/config": config("open"),
      "PATCH /api/settings": { body: settings },
    });
    const { cache } = show(<ProfilePage />);
    await waitFor(() => expect(reads).toHaveLength(1));
    reads[0]?.(ada);
    const choice = await screen.findByLabelText("Undo sending");
    await waitFor(() => expect(choice).toHaveValue("10"));
    void cache.invalidateQueries({ queryKey: ["me"] });
    await waitFor(() => expect(reads).toHaveLength(2));
    await userEvent.selectOptions(choice, "30 seconds");
    expect(await screen.findByText("Saved.")).toBeInTheDocument();
    reads[1]?.(ada);
    await waitFor(() => expect(reads).toHaveLength(3));
    reads[2]?.({ ...ada, settings });
    await waitFor(() => expect(cache.isFetching()).toBe(0));
    expect(choice).toHaveValue("30");
  });

  it.each([
    ["invite", true, 1],
    ["invite", false, 0],
    ["open", true, 0],
  ])("where registration is %s lets an administrator (%s) invite", async (registration, is_admin, buttons) => {
    gateway({
      "GET /api/auth/me": { body: { ...ada, is_admin } },
      "GET /api/config": config(registration),
      "POST /api/auth/invitations": { status: 201, body: { path: "/register#t0ken", expires_at: "2026-12-07T07:58:00Z" } },
    });
    const { cache } = show(<ProfilePage />);
    await waitFor(() => expect(cache.isFetching()).toBe(0));
    const button = screen.queryAllByRole("button", { name: "Make a link" });
    expect(button).toHaveLength(buttons);
    for (const one of button) {
      await userEvent.click(one);
      expect(await screen.findByLabelText("Link to hand on")).toHaveValue(`${location.origin}/register#t0ken`);
    }
  });
});
