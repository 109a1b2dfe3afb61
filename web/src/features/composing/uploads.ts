/** The files of a draft on their way to the gateway: in pieces, one file after the other, resumed where they were broken off. */
import type * as api from "@/api/drafts";
import { ApiError } from "@/api/errors";
import type { Upload } from "@/api/schema";

import { Watched } from "./store";

/** `partial`: a part is there, and the file is needed for the rest. */
export type Phase = "waiting" | "sending" | "complete" | "failed" | "partial";

export interface FileItem {
  key: string;
  name: string;
  size: number;
  mime: string;
  received: number;
  phase: Phase;
  why: ApiError | null;
  inline: boolean;
  cid: string | null;
  /** Once the gateway knows it. */
  upload: string | null;
}

export interface Gateway {
  create: typeof api.createUpload;
  piece: typeof api.sendPiece;
  remove: typeof api.removeUpload;
  size: number;
}

/** Of one file, and of all of a mail (compose-api). */
export const FILE_LIMIT = 25 * 1024 * 1024;
export const MAIL_LIMIT = 40 * 1024 * 1024;

const MOST_FILES = 100;
const LONGEST_TYPE = 255;
const TRIES = 6;
const PAUSE = 1_000;

export class Uploads {
  readonly items: Watched<readonly FileItem[]>;
  private readonly files = new Map<string, File>();
  private readonly aborts = new Map<string, AbortController>();
  private running: Promise<void> = Promise.resolve();
  private busy = false;

  constructor(
    private readonly draft: string,
    uploads: readonly Upload[],
    private readonly gateway: Gateway,
  ) {
    this.items = new Watched<readonly FileItem[]>(uploads.map(known));
  }

  /** Those that are too large are refused with the reason; one that was broken off goes on. The answer names inline ones. */
  add(files: readonly File[], inline: boolean): FileItem[] {
    const added = files.map((file) => this.resumable(file, inline) ?? this.fresh(file, inline));
    this.go();
    return added;
  }

  private resumable(file: File, inline: boolean): FileItem | null {
    const found = this.items.get().find((item) => item.phase === "partial" && item.name === file.name && item.size === file.size && item.inline === inline);
    if (found === undefined) return null;
    this.files.set(found.key, file);
    return this.change(found.key, { phase: "waiting", why: null });
  }

  private fresh(file: File, inline: boolean): FileItem {
    const key = crypto.randomUUID();
    const code = this.isTooLarge(file) ? "too_large" : null;
    const item: FileItem = {
      key,
      name: file.name || "file",
      size: file.size,
      mime: file.type,
      received: 0,
      phase: code === null ? "waiting" : "failed",
      why: code === null ? null : new ApiError(code, "", 413),
      inline: inline && code === null,
      cid: inline && code === null ? `${crypto.randomUUID()}@inline` : null,
      upload: null,
    };
    if (code === null) this.files.set(key, file);
    this.items.set([...this.items.get(), item]);
    return item;
  }

  /** Whether it could go with the others. */
  fits(file: File): boolean {
    return this.items.get().length < MOST_FILES && !this.isTooLarge(file);
  }

  private isTooLarge({ size }: File): boolean {
    const total = this.items.get().reduce((sum, item) => (item.why?.code === "too_large" ? sum : sum + item.size), 0);
    return size > FILE_LIMIT || total + size > MAIL_LIMIT;
  }

  again(key: string): void {
    if (!this.files.has(key)) return;
    this.change(key, { phase: "waiting", why: null });
    this.go();
  }

  async remove(key: string): Promise<void> {
    const item = this.items.get().find((one) => one.key === key);
    this.aborts.get(key)?.abort();
    this.files.delete(key);
    this.items.set(this.items.get().filter((one) => one.key !== key));
    if (item?.upload) await this.gateway.remove(this.draft, item.upload).catch(forgiving);
  }

  /** Pictures that the text shows no more. */
  async prune(html: string): Promise<void> {
    const gone = this.items.get().filter(({ inline, cid, phase }) => inline && cid !== null && phase === "complete" && !html.includes(cid));
    await Promise.all(gone.map(async ({ key }) => this.remove(key)));
  }

  /** Waits for all that are under way; false when some could not be sent. */
  async settled(): Promise<boolean> {
    await this.running;
    return this.items.get().every(({ phase }) => phase === "complete");
  }

  stop(): void {
    for (const abort of this.aborts.values()) abort.abort();
    this.files.clear();
  }

  private go(): void {
    if (this.busy) return;
    this.busy = true;
    this.running = this.work();
  }

  private async work(): Promise<void> {
    for (;;) {
      const next = this.items.get().find(({ phase }) => phase === "waiting");
      const file = next && this.files.get(next.key);
      if (next === undefined || file === undefined) {
        this.busy = false;
        return;
      }
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that each is soon there
      await this.send(next, file);
    }
  }

  private async send(item: FileItem, file: File): Promise<void> {
    const abort = new AbortController();
    this.aborts.set(item.key, abort);
    this.change(item.key, { phase: "sending" });
    try {
      const id = item.upload ?? (await this.create(item));
      if (abort.signal.aborted) {
        // Somebody took it away while it was announced.
        await this.gateway.remove(this.draft, id).catch(forgiving);
        return;
      }
      this.change(item.key, { upload: id });
      await this.pieces(item, file, id, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.change(item.key, { phase: "failed", why: error instanceof ApiError ? error : new ApiError("unexpected", "", 0) });
    } finally {
      this.aborts.delete(item.key);
    }
  }

  private async create({ name, mime, size, inline, cid }: FileItem): Promise<string> {
    const { id } = await this.gateway.create(this.draft, { filename: name, mime: mime.slice(0, LONGEST_TYPE), size, inline, content_id: cid });
    return id;
  }

  private async pieces({ key, size, received }: FileItem, file: File, id: string, signal: AbortSignal): Promise<void> {
    let offset = received;
    let failures = 0;
    // An empty file too is told of once, so that it becomes complete.
    for (let first = true; first || offset < size; first = false) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- each piece follows the one before
        const { received: now, complete, mime } = await this.gateway.piece(this.draft, id, offset, file.slice(offset, offset + this.gateway.size), signal);
        failures = 0;
        offset = now;
        this.change(key, { received: now, ...(complete && { phase: "complete" as const, mime }) });
      } catch (error) {
        const where = receivedIn(error);
        failures += 1;
        if (signal.aborted || failures >= TRIES || (where === null && !isPassing(error))) throw error;
        offset = where ?? offset;
        // oxlint-disable-next-line no-await-in-loop -- a pause before the next try
        if (where === null) await pause(PAUSE * 2 ** (failures - 1));
      }
    }
    this.files.delete(key);
  }

  private change(key: string, part: Partial<FileItem>): FileItem {
    const items = this.items.get().map((item) => (item.key === key ? Object.assign({}, item, part) : item));
    this.items.set(items);
    const changed = items.find((item) => item.key === key);
    if (changed === undefined) throw new Error("no such file");
    return changed;
  }
}

function known({ id, filename, size, mime, received, complete, inline, content_id: cid }: Upload): FileItem {
  return { key: id, name: filename, size, mime, received, phase: complete ? "complete" : "partial", why: null, inline, cid, upload: id };
}

/** Where a broken-off upload goes on, if the refusal says so. */
function receivedIn(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== "wrong_offset") return null;
  const { body } = error;
  if (typeof body !== "object" || body === null || !("upload" in body)) return null;
  const { upload } = body;
  return typeof upload === "object" && upload !== null && "received" in upload && typeof upload.received === "number" ? upload.received : null;
}

function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
}

/** It goes with the draft anyway. */
function forgiving(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
