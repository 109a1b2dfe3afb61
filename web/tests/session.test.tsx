import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { keys } from "@/api/keys";
import { LoginPage } from "@/features/session/LoginPage";
import { RegisterPage } from "@/features/session/RegisterPage";

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
    expect(await sent?.json()).toEqual({ handle: "ada", password: "correct horse" });
    expect(location.pathname).toBe("/mail");
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
    expect(sent).toEqual({ localpart: "ada", password: "correct horse", tz: expect.any(String), language: "en" });
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

  it("says when registration is closed", async () => {
    gateway({ "GET /api/config": config({ registration: "closed" }) });
    show(<RegisterPage />);
    expect(await screen.findByText("Registration is closed on this server.")).toBeInTheDocument();
  });
});
