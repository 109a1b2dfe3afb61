import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { Acting } from "@/api/acting";
import { keys } from "@/api/keys";
import type { Me } from "@/api/schema";
import { UNIFIED } from "@/api/view";
import { createCache } from "@/app/cache";
import { ActionButtons } from "@/features/actions/ActionBar";
import { MessageMenu } from "@/features/actions/MessageMenu";
import { ThreadPane } from "@/features/thread/ThreadPane";

import { gateway, refused } from "./support/api";
import { ada, aMessage } from "./support/mail";
import { show } from "./support/render";

const conversation = {
  body: { id: "t1", subject: "Train tickets", position: 1, messages: [aMessage({ id: "m1" }), aMessage({ id: "m2" })] },
};
const pane = (onLeave = vi.fn()) => (
  <ThreadPane
    id="t1"
    view={UNIFIED}
    place="inbox"
    order="asc"
    takeFocus={false}
    onLeave={onLeave}
    onActing={vi.fn()}
    Actions={ActionButtons}
    MessageMenu={MessageMenu}
  />
);
const shownIds = () => screen.getAllByRole("article").map((article) => article.dataset["message"]);

describe("the order of one conversation", () => {
  it("is turned round here only: nothing is asked of the server", async () => {
    const asked = gateway({ "GET /api/threads/t1": conversation });
    show(pane());
    await userEvent.click(await screen.findByRole("button", { name: "Oldest first" }));
    expect(shownIds()).toEqual(["m2", "m1"]);
    expect(screen.getByRole("button", { name: "Newest first" })).toBeInTheDocument();
    expect(asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual(["GET /api/threads/t1", "GET /api/drafts"]);
  });

  it("becomes the default when asked to", async () => {
    const settings = { ...ada.settings, thread_order: "desc" };
    const asked = gateway({ "GET /api/threads/t1": conversation, "PATCH /api/settings": { body: settings } });
    const cache = createCache();
    cache.setQueryData(keys.me, ada);
    show(pane(), { cache });
    await userEvent.click(await screen.findByRole("button", { name: "Oldest first" }));
    await userEvent.click(screen.getByRole("button", { name: "More for this conversation" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Make “newest first” the default" }));
    await waitFor(() => expect(cache.getQueryData<Me>(keys.me)?.settings.thread_order).toBe("desc"));
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toEqual({ thread_order: "desc" });
    expect(await screen.findByText("Saved as the default.")).toBeInTheDocument();
  });

  it("stays the default when the server refuses the change", async () => {
    gateway({ "GET /api/threads/t1": conversation, "PATCH /api/settings": refused(500, "internal") });
    const cache = createCache();
    cache.setQueryData(keys.me, { ...ada, settings: { ...ada.settings, thread_order: "desc" } });
    show(pane(), { cache });
    await userEvent.click(await screen.findByRole("button", { name: "More for this conversation" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Make “oldest first” the default" }));
    await waitFor(() => expect(cache.isMutating()).toBe(0));
    expect(cache.getQueryData<Me>(keys.me)?.settings.thread_order).toBe("desc");
  });
});

describe("leaving", () => {
  it.each(["u", "{Escape}"])("by %s", async (key) => {
    gateway({ "GET /api/threads/t1": conversation });
    const left = vi.fn();
    show(pane(left));
    await screen.findByText("Train tickets");
    await userEvent.keyboard(key);
    expect(left).toHaveBeenCalledOnce();
  });

  it("does not happen when Esc only closes a menu", async () => {
    gateway({ "GET /api/threads/t1": conversation });
    const left = vi.fn();
    show(pane(left));
    await userEvent.click(await screen.findByRole("button", { name: "More for this conversation" }));
    await screen.findByRole("menu");
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(left).not.toHaveBeenCalled();
  });
});

describe("a conversation that cannot be shown", () => {
  it("is gone", async () => {
    gateway({ "GET /api/threads/t1": refused(404, "not_found") });
    show(pane());
    expect(await screen.findByText("This conversation is not here any more.")).toBeInTheDocument();
  });

  it("can be asked for again", async () => {
    let broken = true;
    gateway({ "GET /api/threads/t1": () => (broken ? refused(500, "internal") : conversation) });
    show(pane());
    const again = await screen.findByRole("button", { name: "Try again" });
    broken = false;
    await userEvent.click(again);
    expect(await screen.findByText("Train tickets")).toBeInTheDocument();
  });
});

describe("attachments and damage", () => {
  it("are offered for download, and for a look only where that is safe", async () => {
    const attachments = [
      { id: "p", filename: "faktura.pdf", mime: "application/pdf", size: 182_340, inline: false, content_id: null, previewable: true },
      { id: "s", filename: "logo.svg", mime: "image/svg+xml", size: 900, inline: false, content_id: null, previewable: false },
    ];
    const messages = [aMessage({ attachments, warnings: ["no end of a part"] })];
    gateway({ "GET /api/threads/t1": { body: { ...conversation.body, messages } } });
    show(pane());
    const download = await screen.findByRole("link", { name: "Download logo.svg" });
    expect(download).toHaveAttribute("href", "/api/attachments/s?inline=0");
    expect(screen.queryByTitle("Open logo.svg")).toBeNull();
    expect(screen.getByTitle("Open faktura.pdf")).toHaveAttribute("href", "/api/attachments/p?inline=1");
    expect(document.querySelector("img")).toBeNull();
    expect(screen.getByText("This message is damaged: no end of a part.")).toBeInTheDocument();
  });
});

describe("one message", () => {
  it("can be thrown away by its menu, and the others stay", async () => {
    gateway({ "GET /api/threads/t1": conversation });
    const act = vi.fn();
    show(<Acting.Provider value={act}>{pane()}</Acting.Provider>);
    await userEvent.click(await screen.findByRole("button", { name: "More for this message" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Move to trash" }));
    expect(act).toHaveBeenCalledExactlyOnceWith("trash", { view: UNIFIED, threads: ["t1"], messages: [expect.objectContaining({ id: "m2" })] });
  });

  it("of a conversation that is only this message is the whole conversation", async () => {
    gateway({ "GET /api/threads/t1": { body: { ...conversation.body, messages: [aMessage({ id: "m1" })] } } });
    const act = vi.fn();
    show(<Acting.Provider value={act}>{pane()}</Acting.Provider>);
    await userEvent.click(await screen.findByRole("button", { name: "More for this message" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Archive" }));
    expect(act).toHaveBeenCalledExactlyOnceWith("archive", { view: UNIFIED, threads: ["t1"], onActing: expect.any(Function) });
  });
});

describe("keys in a conversation", () => {
  it.each([
    ["e", "archive"],
    ["#", "trash"],
    ["!", "junk"],
    ["s", "star"],
    ["v", "move"],
  ])("%s asks for %s", async (key, verb) => {
    gateway({ "GET /api/threads/t1": conversation });
    const act = vi.fn();
    show(<Acting.Provider value={act}>{pane()}</Acting.Provider>);
    await screen.findAllByRole("article");
    await userEvent.keyboard(key);
    expect(act).toHaveBeenCalledExactlyOnceWith(verb, expect.objectContaining({ threads: ["t1"] }));
  });

  it("U asks for the newest to be unread", async () => {
    gateway({ "GET /api/threads/t1": conversation });
    const act = vi.fn();
    show(<Acting.Provider value={act}>{pane()}</Acting.Provider>);
    await screen.findAllByRole("article");
    await userEvent.keyboard("U");
    expect(act).toHaveBeenCalledExactlyOnceWith("unread", expect.objectContaining({ messages: [expect.objectContaining({ id: "m2" })] }));
  });
});
