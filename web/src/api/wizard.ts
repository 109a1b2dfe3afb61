/** What the wizard asks before an account is added: which servers an address has, and whether what was typed works there. */
import { queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import type { ApiError } from "./errors";
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Found = Schemas["Found"];
export type Candidate = Schemas["Candidate"];
export type Step = Schemas["Step"];
export type Trial = Schemas["Trial"];
export type Check = Schemas["Check"];

/** Asked once an address, and to its end: the next step waits for what this one began, and what is typed again is known. */
export const discovery = (email: string) =>
  queryOptions<Found, ApiError>({
    queryKey: ["discovery", email],
    queryFn: async () => ask(client.POST("/api/accounts/discover", { body: { email } })),
    enabled: isAddress(email),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const testAccount = async (body: Trial) => (await ask(client.POST("/api/accounts/test", { body }))).checks;

/** Whole enough to be looked for. */
export function isAddress(email: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*\.[^\s@.\d]{2,}$/u.test(email);
}
