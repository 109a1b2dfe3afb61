import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it } from "vitest";
import { Router } from "wouter";

import { useComposing } from "@/api/composing";
import { keys } from "@/api/keys";
import type { Draft } from "@/api/schema";
import { useAddress } from "@/app/address";
import { createCache } from "@/app/cache";
import { Composing } from "@/features/composing/Composing";
import { copiesHere } from "@/features/composing/copies";
import { Dock } from "@/features/composing/Dock";
import { clearDesk } from "@/features/composing/desks";
import { ThreadComposer } from "@/features/composing/ThreadComposer";
import { Toaster } from "@/ui/Toast";

import { type Answer, gateway, refused } from "./support/api";
import { ada, aDraft, aMessage, anAccount, anIdentity, anUpload, aSend } from "./support/mail";
import { show } from "./support/render";

const work = anIdentity({ signature: "<b>Ada at work</b>" });
const home = anIdentity({ id: "i2", name: "Ada", email: "ada@home.example", signature: "<i>Ada</i>", is_default: false });
const maja = { name: "Maja Wiśniewska", email: "maja@example.org" };

function Start() {
  const { compose } = useComposing();
  return (
    <button type="button" onClick={() => compose({ kind: "new" })}>
      write
    </button>
  );
}

/** A gateway that keeps drafts, with what else a test wants. */
function drafting(first: Partial<Draft>, more: Record<string, Answer | ((request: Request) => Answer | Promise<Answer>)> = {}) {
  let draft = aDraft(first);
  const asked = gateway({
    "GET /api/accounts": { body: { accounts: [anAccount({ identities: [work, home] })] } },
    "GET /api/drafts": { body: { drafts: [] } },
    "GET /api/recipients/suggest": { body: { recipients: [maja, { name: "", email: "max@example.org" }] } },
    "POST /api/drafts": () => ({ status: 201, body: draft }),
    "GET /api/drafts/d1": () => ({ body: draft }),
    "DELETE /api/drafts/d1": { status: 204 },
    "PUT /api/drafts/d1": async (request) => {
      const body = (await request.json()) as Draft;
      draft = { ...draft, ...body, revision: draft.revision + 1 };
      return { body: { draft } };
    },
    ...more,
  });
  const saved = async () => (await Promise.all(asked.filter(({ method }) => method === "PUT").map(async (one) => one.clone().json()))).at(-1) as Draft | undefined;
  return { asked, saved };
}

/** Where composers are opened, with what opens them. */
function showDock(beside: ReactNode = null, options?: Parameters<typeof show>[1]) {
  show(
    <Router hook={useAddress}>
      <Toaster>
        <Composing>
          {beside}
          <Dock />
        </Composing>
      </Toaster>
    </Router>,
    options,
  );
}

async function open() {
  const cache = createCache();
  cache.setQueryData(keys.me, ada);
  showDock(<Start />, { cache });
  await userEvent.click(screen.getByRole("button", { name: "write" }));
  await screen.findByRole("button", { name: "Send" });
  return cache;
}

const picker = () => document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
const to = () => screen.getByRole("combobox", { name: "To" });

beforeEach(() => {
  clearDesk("d1");
  history.replaceState(null, "", "/mail");
});

describe("recipients", () => {
  it("are suggested, chosen by keys, and become chips", async () => {
    const { saved } = drafting({});
    await open();
    await userEvent.type(to(), "ma");
    const list = await screen.findByRole("listbox", { name: "To" });
    await waitFor(() => expect(within(list).getAllByRole("option")).toHaveLength(2));
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(screen.getByText("max@example.org")).toBeInTheDocument();
    await userEvent.type(to(), "ma{Tab}");
    expect(screen.getByText("Maja Wiśniewska")).toBeInTheDocument();
    await userEvent.type(to(), "{Backspace}");
    expect(screen.queryByText("Maja Wiśniewska")).toBeNull();
    await waitFor(async () => expect((await saved())?.to).toEqual([{ name: "", email: "max@example.org" }]), { timeout: 5000 });
  });

  it("may be pasted as a list", async () => {
    drafting({});
    await open();
    await userEvent.click(to());
    await userEvent.paste('Maja <maja@x.example>, "Doe, John" <john@x.example>; c@x.example');
    for (const name of ["Maja", "Doe, John", "c@x.example"]) expect(screen.getByText(name)).toBeInTheDocument();
  });

  it("that are no addresses keep the mail from being sent, and are named", async () => {
    const { asked } = drafting({});
    await open();
    await userEvent.type(to(), "nobody,");
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(await screen.findByText("These are no addresses: nobody")).toBeInTheDocument();
    expect(asked.some(({ url }) => url.endsWith("/api/send"))).toBe(false);
  });

  it("have to be named", async () => {
    drafting({});
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(await screen.findByText("Say whom it is for.")).toBeInTheDocument();
    expect(to()).toHaveFocus();
  });
});

describe("the sender", () => {
  it("brings the signature along", async () => {
    drafting({});
    await open();
    expect(screen.getByRole("textbox", { name: "Text" })).toHaveTextContent("Ada at work");
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "From" }), "i2");
    expect(screen.getByRole("textbox", { name: "Text" })).not.toHaveTextContent("Ada at work");
    expect(screen.getByRole("textbox", { name: "Text" })).toHaveTextContent("Ada");
  });
});

describe("a picture in the signature", () => {
  const logo = anIdentity({ signature: '<b>Ada</b><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="logo">' });

  function signing() {
    URL.createObjectURL = () => "blob:logo";
    URL.revokeObjectURL = () => undefined;
    return drafting(
      {},
      {
        "GET /api/accounts": { body: { accounts: [anAccount({ identities: [logo] })] } },
        "POST /api/drafts/d1/attachments": { status: 201, body: anUpload({ id: "u1", size: 14, received: 0, complete: false, inline: true }) },
        "PATCH /api/drafts/d1/attachments/u1": { body: anUpload({ id: "u1", size: 14, received: 14, inline: true }) },
      },
    );
  }

  it("goes with the mail as a file that the text names", async () => {
    const { saved, asked } = signing();
    await open();
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "x");
    await waitFor(async () => expect((await saved())?.html).toMatch(/<b>Ada<\/b><img [^>]*src="cid:[\w-]+@inline"/u), { timeout: 5000 });
    expect(asked.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  });

  it("is nothing that somebody has written", async () => {
    const { asked } = signing();
    await open();
    await userEvent.click(to());
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(asked.some(({ method, url }) => method === "DELETE" && url.endsWith("/api/drafts/d1"))).toBe(true));
  });
});

describe("closing", () => {
  it("by Esc keeps what was written", async () => {
    const { saved } = drafting({});
    await open();
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "Plan");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Send" })).toBeNull());
    await waitFor(async () => expect((await saved())?.subject).toBe("Plan"));
    expect(location.search).toBe("");
  });

  it("leaves nothing behind where nothing was written", async () => {
    const { asked } = drafting({});
    await open();
    await userEvent.click(to());
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(asked.some(({ method, url }) => method === "DELETE" && url.endsWith("/api/drafts/d1"))).toBe(true));
  });

  it("by discarding can be taken back", async () => {
    const { asked } = drafting({ revision: 1, subject: "Plan" });
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Discard" }));
    expect(await screen.findByText("The draft is discarded.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByRole("button", { name: "Send" })).toBeInTheDocument();
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
  });
});

describe("what is typed while it opens", () => {
  /** jsdom types nothing by command. */
  beforeEach(() => {
    document.execCommand = (name, _dialog, text = "") => {
      const field = document.activeElement;
      if (!(field instanceof HTMLInputElement)) return false;
      return fireEvent.input(field, { target: { value: name === "delete" ? field.value.slice(0, -1) : field.value + text } });
    };
  });

  async function opening(answer: Answer): Promise<() => void> {
    let go = () => undefined as void;
    const waited = new Promise<void>((resolve) => {
      go = resolve;
    });
    drafting({}, { "POST /api/drafts": async () => waited.then(() => answer) });
    showDock(
      <>
        <Start />
        <input aria-label="elsewhere" />
      </>,
      { cache: createCache() },
    );
    await userEvent.click(screen.getByRole("button", { name: "write" }));
    return go;
  }

  it("arrives in its fields, in order", async () => {
    const go = await opening({ status: 201, body: aDraft({}) });
    await userEvent.keyboard("maja@x.example,b@x.exampe{Backspace}le{Enter}{Tab}{Tab}Plan B");
    go();
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("Plan B"));
    for (const email of ["maja@x.example", "b@x.example"]) expect(screen.getByText(email)).toBeInTheDocument();
    expect(to()).toHaveValue("");
    await userEvent.keyboard("!");
    expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("Plan B!");
  });

  it("stays in a field where somebody has gone meanwhile, and keys with other meanings are the page's", async () => {
    const go = await opening({ status: 201, body: aDraft({}) });
    await userEvent.type(screen.getByLabelText("elsewhere"), "search");
    expect(screen.getByLabelText("elsewhere")).toHaveValue("search");
    expect(fireEvent.keyDown(document.body, { key: "k", ctrlKey: true })).toBe(true);
    expect(fireEvent.keyDown(document.body, { key: "F5" })).toBe(true);
    go();
    await screen.findByRole("button", { name: "Send" });
    expect(to()).toHaveValue("");
  });

  it("is not held back when nothing opens, or when somebody presses Esc", async () => {
    const go = await opening(refused(503, "trouble"));
    expect(fireEvent.keyDown(document.body, { key: "j" })).toBe(false);
    expect(fireEvent.keyDown(document.body, { key: "Escape" })).toBe(true);
    expect(fireEvent.keyDown(document.body, { key: "j" })).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "write" }));
    expect(fireEvent.keyDown(document.body, { key: "j" })).toBe(false);
    go();
    expect(await screen.findAllByText(/^Nothing could be written/u)).not.toHaveLength(0);
    expect(fireEvent.keyDown(document.body, { key: "j" })).toBe(true);
  });
});

describe("two tabs", () => {
  it("choose between what both wrote", async () => {
    const theirs = aDraft({ revision: 5, html: "<div>written there</div>" });
    drafting({ revision: 1 }, { "PUT /api/drafts/d1": { status: 409, body: { error: { code: "newer_revision", message: "" }, draft: theirs } } });
    await open();
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "mine");
    expect(await screen.findByText("written there", {}, { timeout: 5000 })).toBeInTheDocument();
    expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("mine");
    await userEvent.click(screen.getByRole("button", { name: "Take the other" }));
    expect(screen.getByRole("textbox", { name: "Text" })).toHaveTextContent("written there");
    expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("");
  });
});

describe("a draft that was discarded elsewhere", () => {
  const gone = "This draft is not here any more: it was sent or discarded.";
  const written: Partial<Draft> = { revision: 3, to: [maja], bcc: [{ name: "", email: "b@x.example" }], subject: "Plan", html: "<div>All of it</div>" };
  const keep = { name: "Keep as a new draft" };
  const answers = {
    "GET /api/send": { body: { sends: [], next_cursor: null, position: 7 } },
    "GET /api/drafts/d1": refused(404, "not_found"),
    "GET /api/drafts/d2": refused(404, "not_found"),
  };

  /** It is open here, and then it is no more. `made`: what the gateway makes of the next one. */
  async function discarded(first: Partial<Draft>, more: Record<string, Answer> = {}, made: Partial<Draft> = {}) {
    const drafts = [aDraft(first), aDraft({ id: "d2", ...made })];
    const { asked, saved } = drafting(first, {
      ...answers,
      "POST /api/drafts": () => ({ status: 201, body: drafts.shift() }),
      "PUT /api/drafts/d2": async (request) => ({ body: { draft: { ...aDraft({ id: "d2", ...made }), ...((await request.json()) as Draft), revision: 1 } } }),
      ...more,
    });
    const cache = await open();
    const told = async () => act(async () => cache.invalidateQueries({ queryKey: keys.draft("d1") }));
    const wish = async () => (await asked.filter(({ method, url }) => method === "POST" && url.endsWith("/api/drafts"))[1]?.json()) as unknown;
    return { asked, saved, told, wish };
  }

  beforeEach(() => {
    clearDesk("d2");
    localStorage.clear();
  });

  it("says so at once, and goes on as a new one that has all of it before anything is forgotten", async () => {
    const { saved, told, wish, asked } = await discarded(written);
    await told();
    expect(await screen.findByText(gone)).toBeInTheDocument();
    expect(copiesHere.read("d1")?.content).toMatchObject({ subject: "Plan" });
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "!");
    await userEvent.click(await screen.findByRole("button", keep));
    await waitFor(() => expect(location.search).toBe("?compose=d2"));
    expect(await wish()).toMatchObject({ kind: "new", identity_id: "i1", message_id: null });
    await waitFor(async () => expect(await saved()).toMatchObject({ identity_id: "i1", to: [maja], bcc: [{ name: "", email: "b@x.example" }], subject: "Plan!", html: "<div>All of it</div>", plain: false }));
    await waitFor(() => expect(copiesHere.read("d1")).toBeNull());
    expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("Plan!");
    expect(screen.queryByText(gone)).toBeNull();
    expect(asked.filter(({ method, url }) => method === "PUT" && url.endsWith("/d1"))).toHaveLength(0);
  });

  it("goes on as the answer that it was, without files and pictures that are gone", async () => {
    const quoted = { message_id: "m1", from: maja, date: "2026-11-30T07:58:00Z", has_html: false };
    const reply: Partial<Draft> = { ...written, kind: "reply", source_message_id: "m1", quoted, quote: "full", html: '<div>a<img src="cid:x@inline" alt="logo">b</div>', attachments: [anUpload()] };
    const { saved, told, wish } = await discarded(reply, {}, { kind: "reply", source_message_id: "m1", quoted, quote: "full" });
    await told();
    expect(await screen.findByText(`${gone} Its files do not come along into a new one.`)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", keep));
    await waitFor(async () => expect(await saved()).toMatchObject({ subject: "Plan", html: "<div>alogob</div>", quote: "full" }));
    expect(await wish()).toMatchObject({ kind: "reply", identity_id: "i1", message_id: "m1" });
    expect(screen.queryByText("plan.pdf")).toBeNull();
  });

  it("is not offered again when it was sent", async () => {
    const { told } = await discarded(written, { "GET /api/send": { body: { sends: [aSend({ state: "delivered" })], next_cursor: null, position: 7 } } });
    await told();
    expect(await screen.findByText("This draft is not here any more: it was sent elsewhere.")).toBeInTheDocument();
    expect(screen.queryByRole("button", keep)).toBeNull();
  });

  it("is worth a new one only while something is written in it", async () => {
    const { told } = await discarded({}, { "GET /api/accounts": { body: { accounts: [anAccount()] } } });
    await told();
    expect(await screen.findByText(gone)).toBeInTheDocument();
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "x");
    expect(await screen.findByRole("button", keep)).toBeInTheDocument();
    await userEvent.clear(screen.getByRole("textbox", { name: "Subject" }));
    expect(screen.queryByRole("button", keep)).toBeNull();
  });

  it("stays here as it is when no new one can be made, also over a reload", async () => {
    const { told } = await discarded(written);
    await told();
    await screen.findByText(gone);
    gateway({ ...answers, "GET /api/accounts": { body: { accounts: [anAccount()] } }, "POST /api/drafts": refused(503, "trouble") });
    await userEvent.click(await screen.findByRole("button", keep));
    expect(await screen.findByText(/^Nothing could be written/u)).toBeInTheDocument();
    expect(screen.getByRole("textbox", { name: "Subject" })).toHaveValue("Plan");
    expect(copiesHere.read("d1")?.content).toMatchObject({ subject: "Plan" });
    cleanup();
    showDock();
    expect(await screen.findByRole("button", keep)).toBeEnabled();
  });
});

describe("sending", () => {
  const queued = { outbox_id: "o1", undo_until: new Date(Date.now() + 10_000).toISOString(), due: new Date(Date.now() + 10_000).toISOString(), position: 7 };
  const sends = { "POST /api/send": { body: queued }, "GET /api/send/o1": { body: aSend() } };

  it("saves, sends that revision once, and offers a way back", async () => {
    const { asked } = drafting({ to: [maja] }, { ...sends, "POST /api/send/o1/undo": { body: { draft_id: "d1", position: 8 } } });
    await open();
    await userEvent.type(screen.getByRole("textbox", { name: "Subject" }), "Plan");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    const undo = await screen.findByRole("button", { name: "Undo" });
    const sent = asked.filter(({ method, url }) => method === "POST" && url.endsWith("/api/send"));
    expect(sent).toHaveLength(1);
    expect(await sent[0]?.json()).toEqual({ draft_id: "d1", revision: 1, due: null });
    expect(sent[0]?.headers.get("Idempotency-Key")).toMatch(/^[\da-f-]{36}$/u);
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    await userEvent.click(undo);
    expect(await screen.findByRole("button", { name: "Send" })).toBeInTheDocument();
    expect(asked.some(({ url }) => url.endsWith("/api/send/o1/undo"))).toBe(true);
  });

  it("can be too late to take back", async () => {
    drafting({ to: [maja] }, { ...sends, "POST /api/send/o1/undo": refused(409, "already_sent") });
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByText("It was too late: the mail was sent.")).toBeInTheDocument();
  });

  it("asks about a file that is spoken of and is not there", async () => {
    const { asked } = drafting({ revision: 1, to: [maja], html: "<div>The plan is attached.</div>" }, sends);
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(await screen.findByText("You write of an attachment, and there is none.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Send without" }));
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/api/send"))).toBe(true));
  });

  it("later is a choice of the menu", async () => {
    const { asked } = drafting({ revision: 1, to: [maja] }, sends);
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Send later" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: /^Tomorrow morning/u }));
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/api/send"))).toBe(true));
    const body = (await asked.find(({ url }) => url.endsWith("/api/send"))?.json()) as { due: string };
    expect(new Date(body.due).getTime()).toBeGreaterThan(Date.now());
  });

  it("that is refused says why, and keeps the draft open", async () => {
    drafting({ revision: 1, to: [maja] }, { "POST /api/send": refused(409, "no_submission") });
    await open();
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(await screen.findByText(/This account has no server for sending/u)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Send" })).toBeEnabled();
  });
});

describe("files", () => {
  const uploads = {
    "POST /api/drafts/d1/attachments": { status: 201, body: { id: "u1", filename: "plan.pdf", mime: "", size: 4, received: 0, inline: false, content_id: null, complete: false } },
    "PATCH /api/drafts/d1/attachments/u1": { body: { id: "u1", filename: "plan.pdf", mime: "application/pdf", size: 4, received: 4, inline: false, content_id: null, complete: true } },
    "DELETE /api/drafts/d1/attachments/u1": { status: 204 },
  };
  const plan = () => new File(["plan"], "plan.pdf", { type: "application/pdf" });

  it("are attached by choosing them, and taken away again", async () => {
    const { asked } = drafting({}, uploads);
    await open();
    await userEvent.upload(picker(), plan());
    expect(await screen.findByRole("link", { name: "plan.pdf" })).toHaveAttribute("href", "/api/drafts/d1/attachments/u1");
    await userEvent.click(screen.getByRole("button", { name: "Remove plan.pdf" }));
    expect(screen.queryByText("plan.pdf")).toBeNull();
    await waitFor(() => expect(asked.some(({ method, url }) => method === "DELETE" && url.endsWith("/attachments/u1"))).toBe(true));
  });

  it("are attached by dropping them", async () => {
    drafting({}, uploads);
    await open();
    const composer = screen.getByRole("region", { name: "New mail" });
    fireEvent.dragOver(composer, { dataTransfer: { types: ["Files"], files: [] } });
    expect(screen.getByText("Drop the files here")).toBeInTheDocument();
    fireEvent.drop(composer, { dataTransfer: { types: ["Files"], files: [plan()] } });
    expect(await screen.findByRole("link", { name: "plan.pdf" })).toBeInTheDocument();
    expect(screen.queryByText("Drop the files here")).toBeNull();
  });
});

describe("at its conversation", () => {
  const message = aMessage({ to: [{ name: "Ada", email: "ada@work.example" }, { name: "Bo", email: "bo@example.org" }] });
  const thread = () =>
    showDock(<ThreadComposer message={message} />);

  it("an answer is written where the newest message is", async () => {
    const { asked } = drafting({ kind: "reply_all", thread_id: "t1", source_message_id: "m1", to: [maja] });
    thread();
    await userEvent.click(await screen.findByRole("button", { name: "Reply to all" }));
    const composer = await screen.findByRole("region", { name: "Reply to all" });
    expect(composer.closest(".fixed")).toBeNull();
    expect(await asked.find(({ method }) => method === "POST")?.json()).toMatchObject({ kind: "reply_all", message_id: "m1", as_attachment: false });
    expect(within(composer).queryByRole("textbox", { name: "Subject" })).toBeNull();
  });

  it("a draft that waits there can be gone on with", async () => {
    const waiting = { id: "d1", message_id: null, account_id: "a1", to: [maja], subject: "Re: Train tickets", snippet: "Half of an answer", updated_at: "2026-11-30T09:00:00Z", outbox_id: null, thread_id: "t1", kind: "reply" };
    drafting({ kind: "reply", thread_id: "t1", revision: 1, to: [maja], html: "<div>Half of an answer</div>" }, { "GET /api/drafts": { body: { drafts: [waiting] } } });
    thread();
    await userEvent.click(await screen.findByRole("button", { name: /Half of an answer/u }));
    expect(await screen.findByRole("textbox", { name: "Text" })).toHaveTextContent("Half of an answer");
  });
});

it("a composer survives a reload, since the address names its draft", async () => {
  drafting({ revision: 1, subject: "Plan" });
  history.replaceState(null, "", "/mail?compose=d1");
  showDock();
  expect(await screen.findByRole("textbox", { name: "Subject" })).toHaveValue("Plan");
  act(() => history.replaceState(null, "", "/mail"));
});
