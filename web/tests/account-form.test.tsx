import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { NewAccountPage } from "@/features/accounts/NewAccountPage";

import { type Answer, gateway, refused } from "./support/api";
import { anAccount } from "./support/mail";
import { show } from "./support/render";

async function connect(answer: Answer, change: () => Promise<void> = async () => undefined) {
  const accounts: object[] = [];
  const asked = gateway({
    "GET /api/accounts": () => ({ body: { accounts } }),
    "POST /api/accounts": () => answer,
  });
  show(<NewAccountPage />);
  await userEvent.type(screen.getByLabelText("E-mail address"), "ada@onet.example");
  await userEvent.type(screen.getByLabelText("Password"), "app password");
  await change();
  await userEvent.click(screen.getByRole("button", { name: "Test and connect" }));
  const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
  return sent;
}

describe("connecting an account", () => {
  it("guesses the servers from the address, and sends typed settings", async () => {
    const sent = await connect({ status: 201, body: anAccount() });
    const login = { username: "ada@onet.example", password: "app password" };
    expect(sent).toMatchObject({
      email: "ada@onet.example",
      imap: { host: "imap.onet.example", port: 993, tls: "ssl", ...login },
      smtp: { host: "smtp.onet.example", port: 465, tls: "ssl", ...login },
    });
  });

  it("lets the usual port follow the security", async () => {
    const sent = await connect({ status: 201, body: anAccount() }, async () => {
      const [incoming] = screen.getAllByLabelText("Security");
      if (incoming !== undefined) await userEvent.selectOptions(incoming, "STARTTLS");
      await userEvent.click(screen.getByLabelText("This account can send"));
    });
    expect(sent).toMatchObject({ imap: { port: 143, tls: "starttls" }, smtp: null });
  });

  it("says what a refusal means and what the server said, and keeps what was typed", async () => {
    await connect(refused(422, "auth_failed", "Advice. The server said: 535 authentication failed."));
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("The server refused this user name or password.");
    expect(alert).toHaveTextContent("The server said: 535 authentication failed.");
    expect(screen.getByLabelText("Password")).toHaveValue("app password");
  });

  it("says when nothing could be tested", async () => {
    await connect(refused(503, "sync_unavailable"));
    expect(await screen.findByRole("alert")).toHaveTextContent("The sync worker is not running");
  });

  it("shows the mailbox fill, with a way to begin reading", async () => {
    await connect({ status: 201, body: anAccount({ state: "backfilling", progress: { synced: 38_412, total: 101_207 } }) });
    await waitFor(() => expect(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "38412"));
    expect(screen.getByText("38,412 of 101,207 messages · newest first")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Start reading now" })).toHaveAttribute("href", "/mail");
  });
});
