import { fireEvent, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import type { Message, Order } from "@/api/schema";
import { MessageMenu } from "@/features/actions/MessageMenu";
import { ThreadView } from "@/features/thread/ThreadView";
import { useOpen } from "@/features/thread/useOpen";

import { aMessage } from "./support/mail";
import { show } from "./support/render";

const three = [aMessage({ id: "m1" }), aMessage({ id: "m2" }), aMessage({ id: "m3" })];

function View({ messages = three, order = "asc" }: { messages?: readonly Message[]; order?: Order }) {
  const open = useOpen(messages);
  return (
    <section data-keys="thread" aria-label="pane">
      <input aria-label="some field" />
      <button type="button" onClick={open.toggleAll}>
        all
      </button>
      <ThreadView messages={messages} order={order} open={open} takeFocus Composer={Slot} onSeen={vi.fn()} place="inbox" ask={vi.fn()} MessageMenu={MessageMenu} />
    </section>
  );
}

const Slot = () => <p>composer</p>;
const shownIds = () => screen.getAllByRole("article").map((article) => article.dataset["message"]);
const focusedId = () => document.activeElement?.closest<HTMLElement>("[data-message]")?.dataset["message"];
const isOpen = (id: string) => screen.queryByText(`text of ${id}`) !== null;
const closedButton = (id: string) => screen.getByRole("button", { name: new RegExp(`snippet of ${id}`, "u") });

describe("order", () => {
  it("shows the oldest first when ascending", () => {
    show(<View order="asc" />);
    expect(shownIds()).toEqual(["m1", "m2", "m3"]);
  });

  it("shows the newest first when descending", () => {
    show(<View order="desc" />);
    expect(shownIds()).toEqual(["m3", "m2", "m1"]);
  });
});

describe("the composer's place", () => {
  it.each(["asc", "desc"] as const)("is directly after the newest message when %s, inside its list item", (order) => {
    show(<View order={order} />);
    const slot = screen.getByRole("region", { name: "Your answer" });
    expect(within(slot).getByText("composer")).toBeInTheDocument();
    expect(slot.previousElementSibling).toHaveAttribute("data-message", "m3");
    expect(slot.parentElement?.tagName).toBe("LI");
  });

  it.each([
    ["asc", -1],
    ["desc", 0],
  ] as const)("is at the newest end of the conversation when %s", (order, end) => {
    show(<View order={order} />);
    expect(screen.getAllByRole("listitem").at(end)).toContainElement(screen.getByRole("region", { name: "Your answer" }));
  });

  it("moves on when a newer message arrives", () => {
    const { rerender } = show(<View />);
    rerender(<View messages={[...three, aMessage({ id: "m4", unread: true })]} />);
    expect(screen.getByRole("region", { name: "Your answer" }).previousElementSibling).toHaveAttribute("data-message", "m4");
  });
});

describe("collapsing", () => {
  it("closes what is read, but never the newest", () => {
    show(<View />);
    expect([isOpen("m1"), isOpen("m2"), isOpen("m3")]).toEqual([false, false, true]);
  });

  it("never closes an unread message", async () => {
    show(<View messages={[aMessage({ id: "m1", unread: true }), ...three.slice(1)]} />);
    expect(isOpen("m1")).toBe(true);
    expect(screen.queryAllByRole("button", { name: /Close the message/u })).toHaveLength(1);
    await userEvent.click(screen.getByRole("button", { name: "all" }));
    await userEvent.click(screen.getByRole("button", { name: "all" }));
    expect([isOpen("m1"), isOpen("m2"), isOpen("m3")]).toEqual([true, false, true]);
  });

  it("opens one by a click and closes it again", async () => {
    show(<View />);
    await userEvent.click(closedButton("m1"));
    expect(isOpen("m1")).toBe(true);
    const article = screen.getAllByRole("article")[0];
    if (article === undefined) throw new Error("no article");
    await userEvent.click(within(article).getByRole("button", { name: /Close the message/u }));
    expect(isOpen("m1")).toBe(false);
  });

  it("leaves open what was open when it is read elsewhere or something newer comes", () => {
    const before = [aMessage({ id: "m1" }), aMessage({ id: "m2", unread: true })];
    const { rerender } = show(<View messages={before} />);
    rerender(<View messages={[aMessage({ id: "m1" }), aMessage({ id: "m2" }), aMessage({ id: "m3" })]} />);
    expect([isOpen("m1"), isOpen("m2"), isOpen("m3")]).toEqual([false, true, true]);
  });

  it("expands all", async () => {
    show(<View />);
    await userEvent.click(screen.getByRole("button", { name: "all" }));
    expect([isOpen("m1"), isOpen("m2"), isOpen("m3")]).toEqual([true, true, true]);
  });
});

describe("keys", () => {
  it.each([
    ["asc", ["m3", "m3", "m2", "m1", "m1", "m2"]],
    ["desc", ["m3", "m2", "m3", "m3", "m3", "m2"]],
  ] as const)("move in the order one sees when %s", async (order, expected) => {
    show(<View order={order} />);
    const seen = [focusedId()];
    for (const key of ["j", "k", "k", "k", "j"]) {
      await userEvent.keyboard(key);
      seen.push(focusedId());
    }
    expect(seen).toEqual(expected);
  });

  it.each(["o", "{Enter}"])("open and close the focused message with %s", async (key) => {
    show(<View />);
    await userEvent.keyboard("k");
    await userEvent.keyboard(key);
    expect(isOpen("m2")).toBe(true);
    await userEvent.keyboard(key);
    expect(isOpen("m2")).toBe(false);
  });

  it("do nothing while a field has the focus", async () => {
    show(<View />);
    const field = screen.getByRole("textbox");
    await userEvent.type(field, "jko");
    expect(field).toHaveValue("jko");
    expect(document.activeElement).toBe(field);
    expect(isOpen("m1")).toBe(false);
  });

  it("leave combinations to the browser", () => {
    show(<View />);
    fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    expect(focusedId()).toBe("m3");
  });
});

describe("where a conversation opens", () => {
  it.each([
    ["asc", 1, 0],
    ["desc", 0, 1],
  ] as const)("is at the newest message when %s, the subject with it where that stands first", (order, below, above) => {
    const scrolledTo = vi.spyOn(Element.prototype, "scrollIntoView");
    const toTop = vi.spyOn(Element.prototype, "scrollTo");
    show(
      <div data-scroll>
        <View order={order} />
      </div>,
    );
    expect(scrolledTo).toHaveBeenCalledTimes(below);
    expect(toTop).toHaveBeenCalledTimes(above);
  });
});
