import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { keys } from "@/api/keys";
import { UNIFIED, type View } from "@/api/view";
import { ActionButtons } from "@/features/actions/ActionBar";
import { ThreadList } from "@/features/threads/ThreadList";

import { type Answer, gateway, refused } from "./support/api";
import { aSummary, anAccount } from "./support/mail";
import { show } from "./support/render";

const TOTAL = 100_000;

function page(request: Request, newer = 0): Answer {
  const query = new URL(request.url).searchParams;
  const offset = Number(query.get("offset"));
  const limit = Number(query.get("limit"));
  const threads = Array.from({ length: limit }, (_, nth) => {
    const number = offset + nth - newer;
    return aSummary({ id: `t${number}`, subject: `subject ${number}` });
  });
  return { body: { threads, total: TOTAL + newer, total_exact: true, next_cursor: null, position: 1 } };
}

const answers = {
  "GET /api/accounts": { body: { accounts: [anAccount()] } },
  "GET /api/threads": page,
};

const rows = () => screen.queryAllByRole("row");
const view = (number: number): View => ({ kind: "account", account: `place-${number}` });
let count = 0;
let fresh = UNIFIED;
beforeEach(() => {
  count += 1;
  fresh = view(count);
});

const list = (selected: string | null, onOpen = vi.fn()) => (
  <ThreadList view={fresh} flat={false} selected={selected} onOpen={onOpen} onActing={vi.fn()} Actions={ActionButtons} />
);

describe("a list of 100,000", () => {
  it("keeps under 80 rows in the page and tells their true number", async () => {
    gateway(answers);
    show(list(null));
    await screen.findByText("subject 0");
    expect(rows().length).toBeGreaterThan(10);
    expect(rows().length).toBeLessThan(80);
    expect(screen.getByRole("grid")).toHaveAttribute("aria-rowcount", String(TOTAL));
    expect(rows()[0]).toHaveAttribute("aria-rowindex", "1");
  });

  it("has a scrollbar as long as the whole list", async () => {
    gateway(answers);
    show(list(null));
    await screen.findByText("subject 0");
    expect(screen.getByRole("rowgroup")).toHaveStyle({ height: `${TOTAL * 72}px` });
  });

  it("asks for the page that is looked at, by offset", async () => {
    const asked = gateway(answers);
    show(list(null));
    await screen.findByText("subject 0");
    const grid = screen.getByRole("grid");
    act(() => {
      Object.defineProperty(grid, "scrollTop", { value: 60_000 * 72, configurable: true, writable: true });
      grid.dispatchEvent(new Event("scroll"));
    });
    await screen.findByText("subject 60000");
    expect(rows().length).toBeLessThan(80);
    const offsets = asked.map(({ url }) => new URL(url).searchParams.get("offset"));
    expect(offsets).toContain("60000");
    expect(offsets.length).toBeLessThan(10);
  });
});

describe("keys in the list", () => {
  it("step with j and k and open with o", async () => {
    gateway(answers);
    const onOpen = vi.fn();
    show(list(null, onOpen));
    await screen.findByText("subject 0");
    await userEvent.keyboard("jjk");
    await waitFor(() => expect(document.activeElement).toHaveTextContent("subject 1"));
    expect(onOpen).not.toHaveBeenCalled();
    await userEvent.keyboard("o");
    expect(onOpen).toHaveBeenCalledExactlyOnceWith("t1", { focus: true, replace: false });
  });

  it("open the next conversation in place while one is being read", async () => {
    gateway({ ...answers, "GET /api/threads/t1": refused(404, "not_found"), "GET /api/threads/t2": refused(404, "not_found") });
    const onOpen = vi.fn();
    show(list("t0", onOpen));
    await screen.findByText("subject 0");
    await userEvent.keyboard("j");
    expect(onOpen).toHaveBeenCalledExactlyOnceWith("t1", { focus: false, replace: true });
  });

  it("leave exactly one row for Tab", async () => {
    gateway(answers);
    show(list(null));
    await screen.findByText("subject 0");
    await userEvent.keyboard("j");
    const reachable = within(screen.getByRole("grid")).getAllByRole("link").filter((link) => link.tabIndex === 0);
    expect(reachable).toHaveLength(1);
    expect(reachable[0]).toHaveTextContent("subject 1");
  });
});

describe("live changes", () => {
  it("leave the cursor on its conversation when newer ones come", async () => {
    let newer = 0;
    gateway({ ...answers, "GET /api/threads": (request) => page(request, newer) });
    const onOpen = vi.fn();
    const { cache } = show(list(null, onOpen));
    await screen.findByText("subject 0");
    await userEvent.keyboard("jj");
    newer = 3;
    await act(async () => cache.invalidateQueries({ queryKey: keys.threads }));
    await screen.findByText("subject -3");
    await userEvent.keyboard("o");
    expect(onOpen).toHaveBeenCalledExactlyOnceWith("t2", expect.anything());
  });

  it("leave the reader's row where it is when newer ones come above it", async () => {
    let newer = 0;
    gateway({ ...answers, "GET /api/threads": (request) => page(request, newer) });
    const { cache } = show(list(null));
    await screen.findByText("subject 0");
    const grid = screen.getByRole("grid");
    const scrolled = vi.spyOn(grid, "scrollTo");
    await act(async () => {
      Object.defineProperty(grid, "scrollTop", { value: 5 * 72, configurable: true, writable: true });
      grid.dispatchEvent(new Event("scroll"));
    });
    newer = 2;
    await act(async () => cache.invalidateQueries({ queryKey: keys.threads }));
    await waitFor(() => expect(scrolled).toHaveBeenCalledWith({ top: 7 * 72 }));
  });
});

describe("choosing", () => {
  const chosen = () => rows().flatMap((row) => (row.getAttribute("aria-selected") === "true" ? (/subject -?\d+/u.exec(row.textContent)?.[0] ?? []) : []));

  it("by x, by going on with J and K, and by Esc none", async () => {
    gateway(answers);
    show(list(null));
    await screen.findByText("subject 0");
    await userEvent.keyboard("jxJJ");
    expect(chosen()).toEqual(["subject 1", "subject 2", "subject 3"]);
    expect(screen.getByRole("toolbar", { name: "Chosen conversations" })).toHaveTextContent("3 chosen");
    await userEvent.keyboard("x");
    expect(chosen()).toEqual(["subject 1", "subject 2"]);
    await userEvent.keyboard("{Escape}");
    expect(chosen()).toEqual([]);
    expect(screen.queryByRole("toolbar")).toBeNull();
  });

  it("by a click with shift from the last chosen one to here, and nothing opens", async () => {
    gateway(answers);
    const onOpen = vi.fn();
    show(list(null, onOpen));
    const user = userEvent.setup();
    await user.click(await screen.findByRole("checkbox", { name: "Choose “subject 4”" }));
    await user.keyboard("{Shift>}");
    await user.click(screen.getByText("subject 2"));
    await user.keyboard("{/Shift}");
    expect(chosen()).toEqual(["subject 2", "subject 3", "subject 4"]);
    expect(onOpen).not.toHaveBeenCalled();
  });

  it("of all that are loaded, and what is chosen stays so when newer ones come", async () => {
    let newer = 0;
    gateway({ ...answers, "GET /api/threads": (request) => page(request, newer) });
    const { cache } = show(list(null));
    await screen.findByText("subject 0");
    await userEvent.keyboard("x");
    newer = 1;
    await act(async () => cache.invalidateQueries({ queryKey: keys.threads }));
    await screen.findByText("subject -1");
    expect(chosen()).toEqual(["subject 0"]);
    await userEvent.click(screen.getByRole("checkbox", { name: "Choose all 50 that are loaded" }));
    expect(screen.getByRole("toolbar")).toHaveTextContent("50 chosen");
  });
});

describe("states of a list", () => {
  const empty: Answer = { body: { threads: [], total: 0, total_exact: true, next_cursor: null, position: 1 } };

  it("invites to connect an account when there is none", async () => {
    gateway({ "GET /api/accounts": { body: { accounts: [] } }, "GET /api/threads": empty });
    show(list(null));
    expect(await screen.findByText("Connect your first account")).toBeInTheDocument();
  });

  it("says that mail is on its way while an account fills", async () => {
    const accounts = [anAccount({ state: "backfilling" })];
    gateway({ "GET /api/accounts": { body: { accounts } }, "GET /api/threads": empty });
    show(list(null));
    expect(await screen.findByText(/newest comes first/u)).toBeInTheDocument();
  });

  it("says what was searched for in vain", async () => {
    gateway({ ...answers, "GET /api/threads": empty });
    show(<ThreadList view={{ kind: "search", q: "żurek" }} flat={false} selected={null} onOpen={vi.fn()} onActing={vi.fn()} Actions={ActionButtons} />);
    expect(await screen.findByText("Nothing matches “żurek”.")).toBeInTheDocument();
  });

  it("offers to try again after a failure", async () => {
    let broken = true;
    gateway({ ...answers, "GET /api/threads": (request) => (broken ? refused(500, "internal") : page(request)) });
    show(list(null));
    const again = await screen.findByRole("button", { name: "Try again" });
    broken = false;
    await userEvent.click(again);
    expect(await screen.findByText("subject 0")).toBeInTheDocument();
  });
});
