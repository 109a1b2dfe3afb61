/** A gateway of a few answers, in place of fetch. */
import { vi } from "vitest";

export type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };
type Answers = Record<string, Answer | ((request: Request) => Answer | Promise<Answer>)>;

/** Keys are "METHOD /api/path"; every request is recorded in the order it came. */
export function gateway(answers: Answers): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(request.clone());
    const found = answers[`${request.method} ${new URL(request.url).pathname}`];
    const answer = typeof found === "function" ? await found(request) : found;
    if (answer === undefined) throw new TypeError(`nothing answers ${request.method} ${request.url}`);
    const { status = 200, body, headers = {} } = answer;
    const text = body === undefined ? null : JSON.stringify(body);
    return new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });
  });
  return asked;
}

export const refused = (status: number, code: string, message = "", headers = {}): Answer => ({
  status,
  body: { error: { code, message } },
  headers,
});
