import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { keys } from "@/api/keys";
import { ForgotPage } from "@/features/session/ForgotPage";
import { LoginPage } from "@/features/session/LoginPage";
import { RegisterPage } from "@/features/session/RegisterPage";
import { ResetPage } from "@/features/session/ResetPage";
import { VerifyPage } from "@/features/session/VerifyPage";

import { type Answer, gateway, refused } from "./support/api";
import { ada } from "./support/mail";
import { show } from "./support/render";

const config = (change = {}): Answer => ({ body: { app_domain: "webmail.example", registration: "open", secure: true, ...change } });

async function signIn(answer: Answer) {
  const asked = gateway({ "GET /api/config": config(), "POST /api/auth/login": answer });
  const { cache } = show(<LoginPage destination="/mail" />);
  await userEvent.type(screen.getByLabelText("Handle"), " ada ");
  await userEvent.type(screen.getByLabelText("Password"), "correct horse");
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
  return { asked, cache };
}

describe("signing in", () => {
  it("sends handle and password, and knows who we are", async () => {
    const { asked, cache } = await signIn({ body: ada });
    await waitFor(() => expect(cache.getQueryData(keys.me)).toEqual(ada));
    const sent = asked.find(({ method }) => method === "POST");
    expect(await sent?.json()).toEqual({ handle: "ada", password: "correct horse", code: "" });
    expect(location.pathname).toBe("/mail");
  });

  it("asks for a code where one is needed, and sends it with the rest", async () => {
    let tries = 0;
    const answers = () => (tries++ === 0 ? refused(401, "code_required") : { body: ada });
    const asked = gateway({ "GET /api/config": config(), "POST /api/auth/login": answers });
    show(<LoginPage destination="/mail" />);
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "correct horse{Enter}");
    const code = await screen.findByLabelText("Code");
    expect(code).toHaveFocus();
    expect(screen.queryByRole("alert")).not.toBeInTheDocument();
    await userEvent.type(code, " 123456 {Enter}");
    await waitFor(() => expect(location.pathname).toBe("/mail"));
    const sent: unknown = await asked.findLast(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ handle: "ada", password: "correct horse", code: "123456" });
  });

  it("says that a code is wrong and asks for another", async () => {
    let tries = 0;
    const answers = () => refused(401, tries++ === 0 ? "code_required" : "wrong_code");
    gateway({ "GET /api/config": config(), "POST /api/auth/login": answers });
    show(<LoginPage destination="/mail" />);
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "correct horse{Enter}");
    await userEvent.type(await screen.findByLabelText("Code"), "1{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("This code is wrong");
    expect(screen.getByLabelText("Code")).toHaveValue("1");
  });

  it("says that handle and password do not match", async () => {
    await signIn(refused(401, "invalid_credentials", "raw words"));
    expect(await screen.findByRole("alert")).toHaveTextContent("Handle and password do not match.");
    expect(screen.getByLabelText("Password")).toHaveValue("correct horse");
  });

  it("says how long to wait after too many attempts", async () => {
    await signIn(refused(429, "too_many_attempts", "", { "Retry-After": "30" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Too many attempts. Try again in 30 seconds.");
  });

  it("shows the server's words for an error it has no words for", async () => {
    await signIn(refused(400, "brand_new", "The moon is in the wrong phase."));
    expect(await screen.findByRole("alert")).toHaveTextContent("The moon is in the wrong phase.");
  });

  it("survives an answer that is no JSON of ours", async () => {
    await signIn({ status: 502, body: "Bad gateway" });
    expect(await screen.findByRole("alert")).toHaveTextContent("That did not work.");
  });

  it("says when the server cannot be reached", async () => {
    gateway({ "GET /api/config": config() });
    show(<LoginPage destination="/mail" />);
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "x{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("cannot be reached");
  });

  it("warns where the browser would not keep the session", async () => {
    gateway({ "GET /api/config": config({ secure: false }) });
    show(<LoginPage destination="/mail" />);
    expect(await screen.findByText(/plain http/u)).toBeInTheDocument();
  });
});

describe("registering", () => {
  it("sends time zone and language with the wish", async () => {
    const asked = gateway({ "GET /api/config": config(), "POST /api/auth/register": { status: 201, body: ada } });
    show(<RegisterPage />);
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    expect(await screen.findByText("ada@webmail.example")).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText("Password"), "correct horse");
    await userEvent.click(screen.getByRole("button", { name: "Create an account" }));
    await waitFor(() => expect(location.pathname).toBe("/settings/accounts/new"));
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ localpart: "ada", password: "correct horse", tz: expect.any(String), language: "en", invitation: "" });
  });

  it.each([
    ["handle_taken", "Handle", /is taken/u],
    ["weak_password", "Password", /too easy to guess/u],
  ])("puts %s beside the field it is about", async (code, label, words) => {
    gateway({ "GET /api/config": config(), "POST /api/auth/register": refused(409, code) });
    show(<RegisterPage />);
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "x");
    await userEvent.click(screen.getByRole("button", { name: "Create an account" }));
    await waitFor(() => expect(screen.getByLabelText(label)).toHaveAccessibleDescription(words));
    expect(screen.getByLabelText(label)).toBeInvalid();
  });

  it("takes the invitation from the link, and says that one is needed", async () => {
    const invited = config({ registration: "invite" });
    const asked = gateway({ "GET /api/config": invited, "POST /api/auth/register": { status: 201, body: ada } });
    history.replaceState(null, "", "/register#t0ken");
    show(<RegisterPage />);
    expect(await screen.findByText("…@webmail.example")).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText("Handle"), "ada");
    await userEvent.type(screen.getByLabelText("Password"), "correct horse{Enter}");
    await waitFor(() => expect(location.pathname).toBe("/settings/accounts/new"));
    expect(await asked.find(({ method }) => method === "POST")?.json()).toMatchObject({ invitation: "t0ken" });
    cleanup();
    history.replaceState(null, "", "/register");
    show(<RegisterPage />);
    expect(await screen.findByText(/needs an invitation/u)).toBeInTheDocument();
  });

  it("says when registration is closed", async () => {
    gateway({ "GET /api/config": config({ registration: "closed" }) });
    show(<RegisterPage />);
    expect(await screen.findByText("Registration is closed on this server.")).toBeInTheDocument();
  });
});

describe("choosing a new password by a link", () => {
  it("sends the link's token, and nobody is signed in by it", async () => {
    const asked = gateway({ "GET /api/config": config(), "POST /api/auth/password/reset": { status: 204 } });
    history.replaceState(null, "", "/reset#t0ken");
    const { cache } = show(<ResetPage />);
    await userEvent.type(screen.getByLabelText("New password"), "correct horse{Enter}");
    expect(await screen.findByText(/Your password is changed/u)).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "POST")?.json()).toEqual({ token: "t0ken", new_password: "correct horse" });
    expect(cache.getQueryData(keys.me)).toBeNull();
  });

  it("says that a link is useless", async () => {
    gateway({ "GET /api/config": config(), "POST /api/auth/password/reset": refused(400, "link_useless") });
    show(<ResetPage />);
    await userEvent.type(screen.getByLabelText("New password"), "correct horse{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("Ask for a new one");
  });
});

describe("a way back in by mail", () => {
  it("is offered only where the server sends mail", async () => {
    gateway({ "GET /api/config": config({ recovery: true }) });
    show(<LoginPage destination="/mail" />);
    expect(await screen.findByRole("link", { name: "Forgot your password?" })).toHaveAttribute("href", "/forgot");
    cleanup();
    gateway({ "GET /api/config": config() });
    const { cache } = show(<LoginPage destination="/mail" />);
    await waitFor(() => expect(cache.isFetching()).toBe(0));
    expect(screen.queryByText("Forgot your password?")).not.toBeInTheDocument();
  });

  it("is asked for by handle, and says the same for everybody", async () => {
    const asked = gateway({ "GET /api/config": config(), "POST /api/auth/password/reset-request": { status: 202 } });
    show(<ForgotPage />);
    await userEvent.type(screen.getByLabelText("Handle"), " ada {Enter}");
    expect(await screen.findByText(/a link is on its way/u)).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "POST")?.json()).toEqual({ handle: "ada" });
  });

  it("is confirmed by whoever opened the link and says so", async () => {
    const asked = gateway({ "GET /api/config": config(), "POST /api/auth/recovery/verify": { status: 204 } });
    history.replaceState(null, "", "/verify#t0ken");
    show(<VerifyPage />);
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: "Yes, it is mine" }));
    expect(await screen.findByText(/Confirmed/u)).toBeInTheDocument();
    expect(await asked.find(({ method }) => method === "POST")?.json()).toEqual({ token: "t0ken" });
  });
});
