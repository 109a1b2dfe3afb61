import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { Send } from "@/api/schema";
import OutboxPage from "@/features/outbox/OutboxPage";

import { gateway, refused } from "./support/api";
import { aSend } from "./support/mail";
import { show } from "./support/render";

const holding = (send: Partial<Send>, more = {}) =>
  gateway({
    "GET /api/send": { body: { sends: [aSend(send)], next_cursor: null, position: 1 } },
    "GET /api/drafts": { body: { drafts: [] } },
    "DELETE /api/send/o1": { status: 204 },
    "DELETE /api/drafts/d1": { status: 204 },
    ...more,
  });

const routes = (asked: readonly Request[]) => asked.filter(({ method }) => method !== "GET").map(({ method, url }) => `${method} ${new URL(url).pathname}`);

describe("the outbox", () => {
  it("says what nobody knows, and ends it on the reader's word: it was sent", async () => {
    const asked = holding({ state: "unconfirmed" });
    show(<OutboxPage />);
    expect(await screen.findByText(/never sent again by itself/u)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "It was sent" }));
    await waitFor(() => expect(routes(asked)).toEqual(["DELETE /api/send/o1", "DELETE /api/drafts/d1"]));
  });

  it("sends a failed one again, once however often it is pressed without an answer", async () => {
    const asked = holding({ state: "failed", code: "rejected", said: "552 too big" }, { "POST /api/send/o1/retry": refused(503, "unavailable") });
    show(<OutboxPage />);
    expect(await screen.findByText(/The server refused this mail\..* 552 too big/u)).toBeInTheDocument();
    const again = screen.getByRole("button", { name: "Send again" });
    await userEvent.click(again);
    await waitFor(() => expect(again).toBeEnabled());
    await userEvent.click(again);
    await waitFor(() => expect(routes(asked)).toHaveLength(2));
    const [first, second] = asked.filter(({ method }) => method === "POST").map(({ headers }) => headers.get("Idempotency-Key"));
    expect(first).toBe(second);
  });

  it("names whom the server refused, with its own words once", async () => {
    holding({ state: "failed", code: "refused_recipients", said: "550 no", refused: [{ email: "x@x.example", code: 550, text: "550 no" }] });
    show(<OutboxPage />);
    expect(await screen.findByText("x@x.example was refused: 550 no")).toBeInTheDocument();
    expect(screen.getAllByText(/550 no/u)).toHaveLength(1);
  });

  it("tells of one that is late, and says nothing of one that is on its way", async () => {
    holding({ state: "queued", reason: "It could not be sent yet." });
    show(<OutboxPage />);
    expect(await screen.findByText("It could not be sent yet. It is tried again and again.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Send again" })).toBeNull();
  });

  it("changes the time of one that waits for it", async () => {
    const asked = holding({ scheduled: true, due: "2030-01-01T07:00:00Z" }, { "PATCH /api/send/o1": { body: aSend({ scheduled: true }) } });
    show(<OutboxPage />);
    await userEvent.click(await screen.findByRole("button", { name: "Another time" }));
    await userEvent.click(await screen.findByRole("button", { name: "Save" }));
    await waitFor(() => expect(routes(asked)).toEqual(["PATCH /api/send/o1"]));
    await userEvent.click(screen.getByRole("button", { name: "Send now" }));
    await waitFor(() => expect(routes(asked)).toHaveLength(2));
    expect(await asked.findLast(({ method }) => method === "PATCH")?.json()).toEqual({ due: null });
  });
});
