/** One connection to /api/ws that comes back by itself and can only receive. */
import { type Frame, readFrame } from "./frames";

export type Connection = "connecting" | "open" | "waiting" | "revoked";

interface Listener {
  frame: (frame: Frame) => void;
  connection: (state: Connection) => void;
  /** Connected, perhaps again: whatever happened before was missed. */
  gap: () => void;
}

const PING = 25_000;
const PONG = 10_000;
const FIRST = 500;
const LONGEST = 30_000;
const REVOKED = 4401;

export class LiveSocket {
  private socket: WebSocket | null = null;
  private attempts = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setInterval> | undefined;
  private deadline: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
    private readonly random: () => number = Math.random,
  ) {}

  start(): void {
    globalThis.addEventListener("online", this.now);
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    globalThis.removeEventListener("online", this.now);
    clearTimeout(this.retry);
    this.quiet();
    this.socket?.close();
  }

  private readonly now = (): void => {
    if (this.stopped || this.socket !== null) return;
    clearTimeout(this.retry);
    this.attempts = 0;
    this.connect();
  };

  private connect(): void {
    this.listener.connection("connecting");
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => this.opened(socket));
    socket.addEventListener("message", (event: MessageEvent<unknown>) => this.received(event.data));
    socket.addEventListener("close", (event) => this.closed(event.code));
  }

  private opened(socket: WebSocket): void {
    this.attempts = 0;
    this.listener.connection("open");
    this.listener.gap();
    this.ping = setInterval(() => {
      socket.send('{"type":"ping"}');
      clearTimeout(this.deadline);
      this.deadline = setTimeout(() => socket.close(), PONG);
    }, PING);
  }

  private received(data: unknown): void {
    clearTimeout(this.deadline);
    const frame = readFrame(data);
    if (frame !== null && frame.event !== "pong") this.listener.frame(frame);
  }

  private closed(code: number): void {
    this.quiet();
    this.socket = null;
    if (this.stopped) return;
    if (code === REVOKED) {
      this.stopped = true;
      this.listener.connection("revoked");
      return;
    }
    this.listener.connection("waiting");
    const longest = Math.min(LONGEST, FIRST * 2 ** this.attempts);
    this.attempts += 1;
    this.retry = setTimeout(() => this.connect(), longest * (0.5 + this.random() / 2));
  }

  private quiet(): void {
    clearInterval(this.ping);
    clearTimeout(this.deadline);
  }
}
