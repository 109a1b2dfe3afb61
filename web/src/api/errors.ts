/** What can go wrong between the browser and the gateway, as one error with the API's own code and words. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;
  /** Seconds to wait, where the server said so. */
  readonly retryAfter: number | null;
  /** All that the answer says. */
  readonly body: unknown;

  constructor(code: string, message: string, status: number, retryAfter: number | null = null, body: unknown = null) {
    super(message);
    this.body = body;
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** The request never got an answer. */
export const UNREACHABLE = "unreachable";

export function toApiError(body: unknown, response: Response): ApiError {
  const said = errorOf(body);
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ApiError(said?.code ?? "unexpected", said?.message ?? "", response.status, Number.isFinite(wait) ? wait : null, body);
}

function errorOf(body: unknown): { code: string; message: string } | null {
  if (typeof body !== "object" || body === null || !("error" in body)) return null;
  const { error } = body;
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error)) return null;
  return typeof error.code === "string" && typeof error.message === "string" ? { code: error.code, message: error.message } : null;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
