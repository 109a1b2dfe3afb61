/** Whom mail can be from. */
import { ask, client } from "./client";
import type { Identity } from "./schema";

export type IdentityChange = Pick<Identity, "name" | "email" | "reply_to" | "signature">;

export const addIdentity = async (account: string, body: IdentityChange) =>
  ask(client.POST("/api/accounts/{account_id}/identities", { params: { path: { account_id: account } }, body }));

export const changeIdentity = async (id: string, body: Partial<IdentityChange> | { is_default: true }) =>
  ask(client.PATCH("/api/identities/{identity_id}", { params: { path: { identity_id: id } }, body }));

export const removeIdentity = async (id: string) => ask(client.DELETE("/api/identities/{identity_id}", { params: { path: { identity_id: id } } }));
