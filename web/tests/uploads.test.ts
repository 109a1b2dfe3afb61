import { beforeEach, describe, expect, it, vi } from "vitest";

import { ApiError, UNREACHABLE } from "@/api/errors";
import type { Upload } from "@/api/schema";
import { FILE_LIMIT, type Gateway, Uploads } from "@/features/composing/uploads";

import { anUpload } from "./support/mail";

const PIECE = 4;

/** A gateway that keeps pieces as the real one does. */
class Keeping implements Gateway {
  readonly size = PIECE;
  readonly held = new Map<string, { size: number; text: string }>();
  readonly offsets: number[] = [];
  trouble: (ApiError | null)[] = [];
  /** The piece came, and its answer was lost. */
  lost = false;

  create: Gateway["create"] = vi.fn(async (_draft, { size, ...rest }) => {
    const id = `u${this.held.size + 1}`;
    this.held.set(id, { size, text: "" });
    return anUpload({ id, size, received: 0, complete: false, ...rest });
  });

  piece: Gateway["piece"] = async (_draft, id, offset, bytes) => {
    const trouble = this.trouble.shift() ?? null;
    if (trouble !== null) throw trouble;
    const file = this.held.get(id);
    if (file === undefined) throw new ApiError("not_found", "", 404);
    if (offset !== file.text.length) throw new ApiError("wrong_offset", "", 409, null, { upload: this.shown(id) });
    this.offsets.push(offset);
    file.text += await textIn(bytes);
    if (this.lost) {
      this.lost = false;
      throw new ApiError(UNREACHABLE, "", 0);
    }
    return this.shown(id);
  };

  remove: Gateway["remove"] = vi.fn(async (_draft, id) => {
    this.held.delete(id);
    return undefined;
  });

  private shown(id: string): Upload {
    const { size, text } = this.held.get(id) ?? { size: 0, text: "" };
    return anUpload({ id, size, received: text.length, complete: text.length === size, mime: "text/plain" });
  }
}

async function textIn(bytes: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.readAsText(bytes);
  });
}

const file = (text: string, name = "plan.txt") => new File([text], name, { type: "text/plain" });
let gateway = new Keeping();
let uploads = new Uploads("d1", [], gateway);

beforeEach(() => {
  gateway = new Keeping();
  uploads = new Uploads("d1", [], gateway);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void) => {
    queueMicrotask(run);
    return 0;
  }) as unknown as typeof setTimeout);
});

describe("a file", () => {
  it("goes in pieces, and is then complete", async () => {
    uploads.add([file("0123456789")], false);
    await expect(uploads.settled()).resolves.toBe(true);
    expect(gateway.offsets).toEqual([0, 4, 8]);
    expect(gateway.create).toHaveBeenCalledWith("d1", expect.objectContaining({ filename: "plan.txt", mime: "text/plain" }));
    expect(gateway.held.get("u1")?.text).toBe("0123456789");
    expect(uploads.items.get()[0]).toMatchObject({ phase: "complete", received: 10 });
  });

  it("that is empty is told of once", async () => {
    uploads.add([file("")], false);
    await expect(uploads.settled()).resolves.toBe(true);
  });

  it("goes on where it was broken off", async () => {
    gateway.trouble = [null, new ApiError(UNREACHABLE, "", 0), new ApiError("internal", "", 500)];
    uploads.add([file("0123456789")], false);
    await expect(uploads.settled()).resolves.toBe(true);
    expect(gateway.held.get("u1")?.text).toBe("0123456789");
  });

  it("is not sent twice where only the answer was lost", async () => {
    gateway.lost = true;
    uploads.add([file("0123456789")], false);
    await expect(uploads.settled()).resolves.toBe(true);
    expect(gateway.offsets).toEqual([0, 4, 8]);
    expect(gateway.held.get("u1")?.text).toBe("0123456789");
  });

  it("that is refused says why, and can be sent again", async () => {
    gateway.trouble = [new ApiError("invalid", "no", 400)];
    const [item] = uploads.add([file("0123")], false);
    await expect(uploads.settled()).resolves.toBe(false);
    expect(uploads.items.get()[0]).toMatchObject({ phase: "failed", why: { code: "invalid" } });
    uploads.again(item?.key ?? "");
    await expect(uploads.settled()).resolves.toBe(true);
    expect(gateway.create).toHaveBeenCalledOnce();
  });

  it("that is too large is refused before anything is sent", async () => {
    const large = file("x");
    Object.defineProperty(large, "size", { value: FILE_LIMIT + 1 });
    uploads.add([large], false);
    await expect(uploads.settled()).resolves.toBe(false);
    expect(uploads.items.get()[0]?.why?.code).toBe("too_large");
    expect(gateway.create).not.toHaveBeenCalled();
  });

  it("that is taken away while it is sent leaves nothing behind", async () => {
    const [item] = uploads.add([file("0123456789")], false);
    await uploads.remove(item?.key ?? "");
    await uploads.settled();
    expect(uploads.items.get()).toEqual([]);
    expect(gateway.held.size).toBe(0);
  });

  it("of which a part is there goes on when it is chosen again", async () => {
    gateway.held.set("old", { size: 10, text: "01234" });
    uploads = new Uploads("d1", [anUpload({ id: "old", filename: "plan.txt", size: 10, received: 5, complete: false })], gateway);
    expect(uploads.items.get()[0]?.phase).toBe("partial");
    uploads.add([file("0123456789")], false);
    await expect(uploads.settled()).resolves.toBe(true);
    expect(gateway.create).not.toHaveBeenCalled();
    expect(gateway.held.get("old")?.text).toBe("0123456789");
  });
});

it("a picture that the text shows no more is taken away", async () => {
  const [shown, gone] = uploads.add([file("a", "a.png"), file("b", "b.png")], true);
  await uploads.settled();
  await uploads.prune(`<img src="cid:${shown?.cid}">`);
  expect(uploads.items.get().map(({ name }) => name)).toEqual(["a.png"]);
  expect(gone?.cid).toMatch(/^[\w-]+@inline$/u);
});
