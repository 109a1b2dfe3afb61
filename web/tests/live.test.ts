import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { readFrame } from "@/live/frames";
import { LiveSocket } from "@/live/socket";
import { type IsStale, Staleness, staleAfter } from "@/live/stale";

const frame = (event: string, payload: object) => readFrame(JSON.stringify({ event, payload: { user_id: "u", position: 7, ...payload } }));

const stale = (event: string, payload: object) => {
  const read = frame(event, payload);
  return read === null ? null : staleAfter(read);
};

describe("what an event makes stale", () => {
  const ids = { account_id: "a", mailbox_id: "b", message_id: "m", thread_id: "t" };

  it.each([
    ["message.new", ids, [["threads"], ["thread", "t"], ["accounts"], ["history"], ["drafts"]]],
    ["message.changed", ids, [["threads"], ["thread", "t"], ["message", "m"], ["history"], ["drafts"]]],
    ["message.deleted", ids, [["threads"], ["thread", "t"], ["message", "m"], ["accounts"], ["history"], ["drafts"]]],
    ["draft.saved", { draft_id: "d", revision: 2 }, [["drafts"], ["draft", "d"]]],
    ["outbox.state_changed", { account_id: "a", outbox_id: "o", state: "failed" }, [["sends"], ["drafts"]]],
    ["message.sent", { account_id: "a", outbox_id: "o" }, [["sends"], ["drafts"]]],
    ["thread.updated", ids, [["threads"], ["thread", "t"], ["accounts"], ["history"]]],
    [
      "flags.changed",
      { message_ids: ["m", "n"], thread_ids: ["t"] },
      [["threads"], ["accounts"], ["history"], ["thread", "t"], ["message", "m"], ["message", "n"]],
    ],
    ["sync.progress", { account_id: "a", mailbox_id: "b", synced: 1, total: 2 }, [["accounts"]]],
    ["account.state_changed", { account_id: "a", state: "live", code: null }, [["accounts"], ["drafts"]]],
    ["pong", {}, []],
  ])("%s", (event, payload, expected) => {
    expect(stale(event, payload)).toEqual(expected);
  });
});

describe("frames", () => {
  it.each([
    ["no JSON", "{"],
    ["no text", new Uint8Array(3)],
    ["no event", '{"payload":{}}'],
    ["an unknown event", '{"event":"calendar.changed","payload":{}}'],
    ["a name every object has", '{"event":"constructor","payload":{}}'],
    ["an incomplete payload", '{"event":"message.new","payload":{"thread_id":"t"}}'],
    ["an id of the wrong kind", '{"event":"thread.updated","payload":{"thread_id":7}}'],
  ])("that are %s are ignored", (_what, data) => {
    expect(readFrame(data)).toBeNull();
  });
});

describe("a burst of events", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is told soon, all at once, and then at most twice a second", () => {
    const told: IsStale[] = [];
    const staleness = new Staleness((isStale) => told.push(isStale));
    for (let times = 0; times < 50; times += 1) staleness.add([["threads"], ["thread", "t"]]);
    vi.advanceTimersByTime(60);
    expect(told).toHaveLength(1);
    staleness.add([["accounts"]]);
    vi.advanceTimersByTime(400);
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(200);
    const ofKeys = [["threads", "unified", "", 3], ["thread", "t"], ["thread", "u"], ["accounts"]];
    expect(told.map((isStale) => ofKeys.map(isStale))).toEqual([
      [true, true, false, false],
      [false, false, false, true],
    ]);
  });
});

class FakeSocket extends EventTarget {
  static made: FakeSocket[] = [];
  sent: string[] = [];
  constructor(readonly url: string) {
    super();
    FakeSocket.made.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  close(code = 1006) {
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
  open() {
    this.dispatchEvent(new Event("open"));
  }
  receive(data: unknown) {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

describe("the socket", () => {
  const listener = { frame: vi.fn(), connection: vi.fn(), gap: vi.fn() };
  let socket: LiveSocket;
  const latest = () => {
    const made = FakeSocket.made.at(-1);
    if (made === undefined) throw new Error("no socket was made");
    return made;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    FakeSocket.made = [];
    vi.stubGlobal("WebSocket", FakeSocket);
    socket = new LiveSocket("ws://localhost/api/ws", listener, () => 1);
    socket.start();
  });
  afterEach(() => {
    socket.stop();
    vi.useRealTimers();
  });

  it("says that everything before may have been missed, each time it opens", () => {
    latest().open();
    latest().close();
    vi.advanceTimersByTime(500);
    latest().open();
    expect(listener.gap).toHaveBeenCalledTimes(2);
  });

  it("waits longer after each failure, and no longer than half a minute", () => {
    const waits: number[] = [];
    for (let times = 0; times < 9; times += 1) {
      const before = FakeSocket.made.length;
      latest().close();
      let waited = 0;
      while (FakeSocket.made.length === before) {
        vi.advanceTimersByTime(500);
        waited += 500;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("does not come back when the session was revoked", () => {
    latest().open();
    latest().close(4401);
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.made).toHaveLength(1);
    expect(listener.connection).toHaveBeenLastCalledWith("revoked");
  });

  it("sends nothing but pings, and leaves a server that does not answer them", () => {
    latest().open();
    vi.advanceTimersByTime(25_000);
    expect(latest().sent).toEqual(['{"type":"ping"}']);
    vi.advanceTimersByTime(10_000);
    expect(listener.connection).toHaveBeenLastCalledWith("waiting");
  });

  it("stays with a server that answers", () => {
    latest().open();
    vi.advanceTimersByTime(25_000);
    latest().receive('{"event":"pong","payload":{}}');
    vi.advanceTimersByTime(10_000);
    expect(listener.connection).toHaveBeenLastCalledWith("open");
    expect(listener.frame).not.toHaveBeenCalled();
  });

  it("tries at once when the network comes back", () => {
    latest().close();
    globalThis.dispatchEvent(new Event("online"));
    expect(FakeSocket.made).toHaveLength(2);
  });
});
