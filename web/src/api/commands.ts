/** What a person can ask the gateway to change. */
import { ask, client } from "./client";
import type { AccountChange, ActionWish, ChosenUse, NewAccount, NewSignIn, Servers, Settings } from "./schema";

export const register = async (wish: { localpart: string; password: string; tz: string; language: "en" | "pl"; invitation?: string }) =>
  ask(client.POST("/api/auth/register", { body: { invitation: "", ...wish } }));

export const logIn = async (given: { handle: string; password: string; code?: string }) =>
  ask(client.POST("/api/auth/login", { body: { code: "", ...given } }));

export const logOut = async () => ask(client.POST("/api/auth/logout"));

export const changeSettings = async (body: Partial<Settings>) => ask(client.PATCH("/api/settings", { body }));

export const connectAccount = async (body: NewAccount) => ask(client.POST("/api/accounts", { body }));

export const changeAccount = async (id: string, body: AccountChange) =>
  ask(client.PATCH("/api/accounts/{account_id}", { params: { path: { account_id: id } }, body }));

export const reconnectAccount = async (id: string, body: Servers) =>
  ask(client.POST("/api/accounts/{account_id}/reconnect", { params: { path: { account_id: id } }, body }));

/** Where the browser goes to sign in at the account's provider. */
export const beginSignIn = async (body: NewSignIn) => (await ask(client.POST("/api/accounts/oauth/start", { body }))).url;

export const removeAccount = async (id: string) =>
  ask(client.DELETE("/api/accounts/{account_id}", { params: { path: { account_id: id } } }));

export const chooseMailbox = async (id: string, use: ChosenUse, mailbox: string | null) =>
  ask(client.PATCH("/api/accounts/{account_id}/special-uses", { params: { path: { account_id: id } }, body: { [use]: mailbox } }));

export const startSync = async (account: string) => ask(client.POST("/api/sync", { body: { accounts: [account], kind: "resync" } }));

export const cancelSync = async (job: string) => ask(client.POST("/api/sync/cancel", { body: { job } }));

export const allowRemoteImages = async (id: string, scope: "once" | "sender") =>
  ask(client.POST("/api/messages/{message_id}/allow-remote-images", { params: { path: { message_id: id } }, body: { scope } }));

/** Done once, however often it is sent with the same key. */
export const act = async (wish: ActionWish, key: string) =>
  ask(client.POST("/api/actions", { params: { header: { "Idempotency-Key": key } }, body: wish }));

export const undoRequest = async (id: string) => ask(client.POST("/api/history/{request_id}/undo", { params: { path: { request_id: id } } }));

/** For a use that the account has no mailbox for. */
export const createMailbox = async (account: string, name: string, use: ChosenUse) =>
  ask(client.POST("/api/accounts/{account_id}/mailboxes", { params: { path: { account_id: account } }, body: { name, use } }));
