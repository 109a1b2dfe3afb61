/** What a person can ask the gateway to change. */
import { ask, client } from "./client";
import type { NewAccount, Settings } from "./schema";

export const register = async (body: { localpart: string; password: string; tz: string; language: "en" | "pl" }) =>
  ask(client.POST("/api/auth/register", { body }));

export const logIn = async (body: { handle: string; password: string }) => ask(client.POST("/api/auth/login", { body }));

export const logOut = async () => ask(client.POST("/api/auth/logout"));

export const changeSettings = async (body: Partial<Settings>) => ask(client.PATCH("/api/settings", { body }));

export const connectAccount = async (body: NewAccount) => ask(client.POST("/api/accounts", { body }));

export const removeAccount = async (id: string) =>
  ask(client.DELETE("/api/accounts/{account_id}", { params: { path: { account_id: id } } }));

export const allowRemoteImages = async (id: string, scope: "once" | "sender") =>
  ask(client.POST("/api/messages/{message_id}/allow-remote-images", { params: { path: { message_id: id } }, body: { scope } }));
