import { fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { fitHeight } from "@/ui/fitHeight";
import { MessageBody } from "@/features/thread/MessageBody";
import { useKeys } from "@/ui/keyboard";

import { gateway, refused } from "./support/api";
import { aMessage } from "./support/mail";
import { show } from "./support/render";

const html = aMessage({ has_html: true, text: null, remote_images: { blocked: 3, allowed: false } });
const frame = () => screen.findByTitle<HTMLIFrameElement>("The message of Maja Wiśniewska");

describe("the frame of a mail's HTML", () => {
  it("is sandboxed to exactly what it needs, and never runs scripts", async () => {
    show(<MessageBody message={html} />);
    expect(await frame()).toHaveAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  });

  it("is a document of the gateway, in the theme on screen, without remote images", async () => {
    show(<MessageBody message={html} />);
    expect(await frame()).toHaveAttribute("src", "/api/messages/m1/html?v=3&theme=light&remote=0");
    expect(await frame()).not.toHaveAttribute("srcdoc");
  });

  it("is not made for plain text", () => {
    show(<MessageBody message={aMessage()} />);
    expect(screen.getByText("text of m1")).toBeInTheDocument();
    expect(document.querySelector("iframe")).toBeNull();
  });

  it("says so when the gateway had something else to say than the mail", async () => {
    show(<MessageBody message={html} />);
    fireEvent.load(await frame());
    expect(await screen.findByRole("alert")).toHaveTextContent("The message could not be loaded.");
    expect(document.querySelector("iframe")).toBeNull();
  });

  it("hands its keys on to the page", async () => {
    const pressed = vi.fn();
    function Page() {
      useKeys({ u: pressed });
      return <MessageBody message={html} />;
    }
    show(<Page />);
    const element = await frame();
    const inner = element.contentDocument;
    if (inner === null) throw new Error("the frame has no document");
    const page = inner.createElement("html");
    page.innerHTML = '<div id="wm-root"></div>';
    inner.append(page);
    fireEvent.load(element);
    fireEvent.keyDown(inner, { key: "u" });
    expect(pressed).toHaveBeenCalledOnce();
  });
});

describe("remote images", () => {
  it("are loaded only after the server has recorded the permission", async () => {
    const asked = gateway({ "POST /api/messages/m1/allow-remote-images": { body: { allowed: true } } });
    show(<MessageBody message={html} />);
    expect(screen.getByText("3 remote images blocked")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Load" }));
    expect(await asked[0]?.json()).toEqual({ scope: "once" });
    expect((await frame()).getAttribute("src")).toContain("remote=1");
    expect(screen.queryByText("3 remote images blocked")).toBeNull();
  });

  it("can be allowed for the sender", async () => {
    const asked = gateway({ "POST /api/messages/m1/allow-remote-images": { body: { allowed: true } } });
    show(<MessageBody message={html} />);
    await userEvent.click(screen.getByRole("button", { name: "Always from Maja" }));
    expect(await asked[0]?.json()).toEqual({ scope: "sender" });
  });

  it("stay blocked when the server refuses", async () => {
    gateway({ "POST /api/messages/m1/allow-remote-images": refused(403, "forbidden") });
    show(<MessageBody message={html} />);
    await userEvent.click(screen.getByRole("button", { name: "Load" }));
    expect(await screen.findByText("That did not work.")).toBeInTheDocument();
    expect((await frame()).getAttribute("src")).toContain("remote=0");
  });

  it("are shown without asking where the sender is allowed", async () => {
    show(<MessageBody message={{ ...html, remote_images: { blocked: 3, allowed: true } }} />);
    expect((await frame()).getAttribute("src")).toContain("remote=1");
    expect(screen.queryByRole("note")).toBeNull();
  });
});

describe("a body that came as an envelope only", () => {
  it("is fetched when its message is opened", async () => {
    gateway({ "GET /api/messages/m1": { body: aMessage({ text: "the whole text" }) } });
    show(<MessageBody message={aMessage({ expanded: false, text: null })} />);
    expect(await screen.findByText("the whole text")).toBeInTheDocument();
  });
});

describe("the height of a frame", () => {
  function growing() {
    let resized: () => void = () => undefined;
    const stopped = vi.fn();
    vi.stubGlobal(
      "ResizeObserver",
      class {
        constructor(tell: () => void) {
          resized = tell;
        }
        observe() {
          return undefined;
        }
        disconnect = stopped;
      },
    );
    const page = document.implementation.createHTMLDocument();
    page.body.innerHTML = '<div id="wm-root"></div>';
    const root = page.querySelector("#wm-root");
    if (root === null) throw new Error("no root");
    let height = 0;
    vi.spyOn(root, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, 0, 600, height));
    const grow = () => {
      height += 100.4;
      resized();
    };
    return { page, grow, stopped };
  }

  it("follows the mail", () => {
    const { page, grow } = growing();
    const heights: number[] = [];
    fitHeight(page, (height) => heights.push(height), () => 0);
    grow();
    grow();
    expect(heights).toEqual([101, 201]);
  });

  it("gives up after eight growths in a second, and lets the frame scroll", () => {
    const { page, grow, stopped } = growing();
    const heights: number[] = [];
    fitHeight(page, (height) => heights.push(height), () => 0);
    for (let times = 0; times < 9; times += 1) grow();
    expect(heights).toHaveLength(8);
    expect(stopped).toHaveBeenCalledOnce();
    expect(page.documentElement.style.overflow).toBe("auto");
  });

  it("does not give up on mail that grows slowly, as its images come", () => {
    const { page, grow, stopped } = growing();
    let now = 0;
    fitHeight(page, vi.fn(), () => now);
    for (let times = 0; times < 20; times += 1) {
      grow();
      now += 200;
    }
    expect(stopped).not.toHaveBeenCalled();
  });
});
