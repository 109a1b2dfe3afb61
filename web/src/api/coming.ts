/** Asking by hand what the API document does not describe yet. */
import { ask, client } from "./client";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
interface Given {
  body?: unknown;
  bytes?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export async function call<T>(method: Method, path: string, { body, bytes, headers, signal }: Given = {}): Promise<T> {
  const options = {
    headers: { ...headers, ...(bytes && { "Content-Type": "application/octet-stream" }) },
    ...(signal && { signal }),
    ...(bytes ? { body: bytes, bodySerializer: (given: Blob) => given } : body !== undefined && { body }),
  };
  // oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unsafe-type-assertion, typescript/no-unsafe-call, typescript/no-unsafe-member-access
  return ask<T>((client as any)[method](path, options));
}
