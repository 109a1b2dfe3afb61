/** The typed HTTP client: CSRF added, errors of every kind turned into ApiError. */
import createClient, { type Middleware } from "openapi-fetch";

import { ApiError, toApiError, UNREACHABLE } from "./errors";
import type { paths } from "./schema.gen";

const csrf: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET") request.headers.set("X-CSRF", cookie("__Host-csrf"));
    return request;
  },
};

export const client = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: "same-origin",
  fetch: async (request) => globalThis.fetch(request),
});
client.use(csrf);

function cookie(name: string): string {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? "" : decodeURIComponent(found.slice(name.length + 1));
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a good answer; throws ApiError otherwise. A 204 gives undefined. */
export async function ask<T>(answer: Promise<Answer<T>>): Promise<T> {
  let settled: Answer<T>;
  try {
    settled = await answer;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError(UNREACHABLE, "", 0);
  }
  if (!settled.response.ok) throw toApiError(settled.error, settled.response);
  // The schema promises a body with every good answer but 204, whose T is undefined.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return settled.data as T;
}
