/** Whom mail can be from. */
import { call } from "./coming";
import type { Identity } from "./schema";

export type IdentityChange = Pick<Identity, "name" | "email" | "reply_to" | "signature">;

export const addIdentity = async (account: string, body: IdentityChange) => call<Identity>("POST", `/api/accounts/${account}/identities`, { body });

export const changeIdentity = async (id: string, body: Partial<IdentityChange> | { is_default: true }) =>
  call<Identity>("PATCH", `/api/identities/${id}`, { body });

export const removeIdentity = async (id: string) => call<undefined>("DELETE", `/api/identities/${id}`);
