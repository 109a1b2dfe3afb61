/** Keeps a draft: saves soon after each change, one save at a time, and never over a revision that it has not seen. */
import type { Content } from "@/api/drafts";
import { ApiError } from "@/api/errors";
import type { Draft } from "@/api/schema";
import { isBlank } from "@/ui/editor/plain";

import type { Copies } from "./copies";
import { Watched } from "./store";

/** `kept`: only in this browser; `refused`: the gateway says why; `closed`: sent or discarded elsewhere. */
export type Saving = "saved" | "changed" | "saving" | "kept" | "refused" | "closed";

export interface Kept {
  /** As the gateway last had it. */
  draft: Draft;
  content: Content;
  saving: Saving;
  /** Another tab's or device's, which somebody has to choose from. */
  newer: Draft | null;
  why: ApiError | null;
  /** Counts how often the content came from elsewhere, so that editors take it over. */
  edition: number;
}

export type Save = (id: string, body: Content & { revision: number }) => Promise<Draft>;

const SOON = 2_000;
const FIRST_RETRY = 5_000;
const LONGEST_RETRY = 60_000;

export class Keeper {
  readonly state: Watched<Kept>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | null = null;
  private busy = false;
  /** Seen while a save was under way: perhaps that save's own. */
  private seen: Draft | null = null;
  private retries = 0;

  constructor(
    draft: Draft,
    private readonly save: Save,
    private readonly copies: Copies,
  ) {
    const copy = copies.read(draft.id);
    const content = copy?.content ?? contentOf(draft);
    const same = copy === null || equal(content, contentOf(draft));
    const newer = copy !== null && !same && copy.revision < draft.revision ? draft : null;
    this.state = new Watched<Kept>({ draft, content, saving: same ? "saved" : "changed", newer, why: null, edition: 0 });
    if (same) copies.drop(draft.id);
    else if (newer === null) this.schedule(0);
  }

  get(): Kept {
    return this.state.get();
  }

  /** `quiet`: nobody typed it, so it alone is not worth a save. */
  change(part: Partial<Content>, quiet = false): void {
    const { content, saving } = this.get();
    this.set({ content: { ...content, ...part } });
    if (quiet || saving === "closed") return;
    if (!this.busy) this.set({ saving: "changed" });
    if (this.get().newer === null) this.schedule(SOON);
  }

  get isChanged(): boolean {
    return this.get().saving !== "saved" && this.get().saving !== "closed";
  }

  /** What is written is nowhere but here. */
  private get isAlone(): boolean {
    const { saving, why, content } = this.get();
    return this.isChanged || (saving === "closed" && why?.status === 404 && isWritten(content));
  }

  /** Saves what has changed; the draft is then as the gateway has it, or `why` says that it isn't. */
  async flush(): Promise<Draft> {
    clearTimeout(this.timer);
    while (this.running !== null || (this.get().saving === "changed" && this.get().newer === null)) {
      // oxlint-disable-next-line no-await-in-loop -- one save at a time
      await (this.running ?? this.start());
      if (this.get().why !== null) break;
    }
    const { draft, newer, saving, why } = this.get();
    if (saving === "kept" || saving === "refused") {
      if (why !== null) throw why;
    }
    if (newer !== null) throw new ApiError("newer_revision", "", 409);
    return draft;
  }

  /** Writes it to this browser at once: the page goes, and no request would be waited for. */
  keepHere(): void {
    const { draft, content } = this.get();
    if (this.isAlone) this.copies.write(draft.id, { revision: draft.revision, content });
  }

  /** The gateway has this one, whoever saved it. */
  heard(draft: Draft): void {
    if (this.busy) {
      this.seen = draft;
      return;
    }
    const now = this.get();
    if (now.saving === "closed" || draft.revision <= now.draft.revision) {
      if (draft.revision === now.draft.revision) this.set({ draft });
      return;
    }
    if (this.isChanged) this.conflict(draft);
    else this.takeOver(draft);
  }

  /** Mine goes over the newer one, now that it has been seen; or the newer one is taken. */
  choose(which: "mine" | "theirs"): void {
    const { newer } = this.get();
    if (newer === null) return;
    if (which === "theirs") {
      this.takeOver(newer);
      return;
    }
    this.set({ draft: newer, newer: null, saving: "changed", why: null });
    this.schedule(0);
  }

  /** The gateway has it no more: it was sent or discarded elsewhere. */
  gone(why: ApiError): void {
    if (this.get().saving === "closed") return;
    clearTimeout(this.timer);
    this.set({ saving: "closed", newer: null, why });
    this.keepHere();
  }

  /** It is not here any more, or no longer ours to change. */
  close(): void {
    clearTimeout(this.timer);
    this.copies.drop(this.get().draft.id);
    this.set({ saving: "closed" });
  }

  /** Nobody is here any more: what is not saved stays as a copy. */
  leave(): void {
    clearTimeout(this.timer);
    this.keepHere();
    this.set({ saving: "closed" });
  }

  /** Back from nowhere: what could not be saved is tried again. */
  readonly retry = (): void => {
    if (this.get().saving !== "kept") return;
    this.set({ saving: "changed" });
    this.schedule(0);
  };

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.busy) void this.start();
    }, wait);
  }

  private async start(): Promise<void> {
    this.busy = true;
    this.running = this.attempt();
    await this.running;
  }

  private async attempt(): Promise<void> {
    const { draft, content } = this.get();
    this.set({ saving: "saving", why: null });
    let end: (() => void) | null = null;
    try {
      const saved = await this.save(draft.id, { ...content, revision: draft.revision });
      this.retries = 0;
      end = () => this.saved(saved, content);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      end = () => this.failed(error);
    } finally {
      this.running = null;
      this.busy = false;
      end?.();
    }
    const { seen } = this;
    this.seen = null;
    if (seen !== null) this.heard(seen);
  }

  private saved(draft: Draft, content: Content): void {
    if (this.get().saving === "closed") return;
    const more = this.get().content !== content;
    this.set({ draft, saving: more ? "changed" : "saved" });
    if (more) this.schedule(SOON);
    else this.copies.drop(draft.id);
  }

  private failed(error: ApiError): void {
    if (this.get().saving === "closed") return;
    const newer = error.code === "newer_revision" ? draftIn(error.body) : null;
    if (newer !== null) this.conflict(newer);
    else if (error.status === 404) this.gone(error);
    else if (error.code === "being_sent") this.set({ saving: "closed", why: error });
    else if (error.status === 0 || error.status >= 500 || error.status === 429) {
      this.set({ saving: "kept", why: error });
      this.keepHere();
      const wait = Math.min(FIRST_RETRY * 2 ** this.retries, LONGEST_RETRY);
      this.retries += 1;
      clearTimeout(this.timer);
      this.timer = setTimeout(this.retry, wait);
    } else {
      this.set({ saving: "refused", why: error });
      this.keepHere();
    }
  }

  private conflict(newer: Draft): void {
    clearTimeout(this.timer);
    // Both wrote the same: nothing is to be chosen.
    if (equal(this.get().content, contentOf(newer))) {
      this.takeOver(newer);
      return;
    }
    this.set({ newer, saving: "changed" });
    this.keepHere();
  }

  private takeOver(draft: Draft): void {
    this.copies.drop(draft.id);
    this.set({ draft, content: contentOf(draft), newer: null, saving: "saved", why: null, edition: this.get().edition + 1 });
  }

  private set(part: Partial<Kept>): void {
    this.state.set({ ...this.get(), ...part });
  }
}

/** Whether there is anything to lose. */
export function isWritten({ to, cc, bcc, subject, html }: Content): boolean {
  return to.length + cc.length + bcc.length > 0 || subject !== "" || !isBlank(html);
}

export function contentOf({ identity_id, to, cc, bcc, subject, html, plain, quote }: Draft): Content {
  return { identity_id, to, cc, bcc, subject, html, plain, quote };
}

function equal(one: Content, other: Content): boolean {
  return written(one) === written(other);
}

function written({ identity_id, to, cc, bcc, subject, html, plain, quote }: Content): string {
  return JSON.stringify([identity_id, [to, cc, bcc].map((all) => all.map(({ name, email }) => [name, email])), subject, html, plain, quote]);
}

/** A refusal of a stale writer carries the newer draft. */
function draftIn(body: unknown): Draft | null {
  if (typeof body !== "object" || body === null || !("draft" in body)) return null;
  const { draft } = body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API document says what it is
  return typeof draft === "object" && draft !== null && "revision" in draft ? (draft as Draft) : null;
}
