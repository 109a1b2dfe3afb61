/** Who one is and how that is proven: what to ask, and what can be changed. */
import { queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";

const KEYS = { sessions: ["sessions"], secondFactor: ["second factor"], passkeys: ["passkeys"], recovery: ["recovery"], imageSenders: ["image senders"] } as const;

export const sessions = queryOptions({
  queryKey: KEYS.sessions,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/auth/sessions", { signal }))).sessions,
});

export const secondFactor = queryOptions({
  queryKey: KEYS.secondFactor,
  queryFn: async ({ signal }) => ask(client.GET("/api/auth/totp", { signal })),
});

export const passkeys = queryOptions({
  queryKey: KEYS.passkeys,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/auth/passkeys", { signal }))).passkeys,
});

export const recovery = queryOptions({
  queryKey: KEYS.recovery,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/auth/recovery", { signal }))).email,
});

export const imageSenders = queryOptions({
  queryKey: KEYS.imageSenders,
  queryFn: async ({ signal }) => (await ask(client.GET("/api/settings/image-senders", { signal }))).senders,
});

export const endSession = async (id: string) =>
  ask(client.DELETE("/api/auth/sessions/{session_id}", { params: { path: { session_id: id } } }));

export const endOtherSessions = async () => ask(client.DELETE("/api/auth/sessions"));

export const changePassword = async (body: { password: string; new_password: string }) => ask(client.POST("/api/auth/password", { body }));

export const resetPassword = async (body: { token: string; new_password: string }) => ask(client.POST("/api/auth/password/reset", { body }));

export const requestReset = async (handle: string) => ask(client.POST("/api/auth/password/reset-request", { body: { handle } }));

export const setRecovery = async (body: { password: string; email: string }) => ask(client.PUT("/api/auth/recovery", { body }));

export const forgetRecovery = async (password: string) => ask(client.DELETE("/api/auth/recovery", { body: { password } }));

export const verifyRecovery = async (token: string) => ask(client.POST("/api/auth/recovery/verify", { body: { token } }));

export const setUpTotp = async (password: string) => ask(client.POST("/api/auth/totp/setup", { body: { password } }));

export const enableTotp = async (code: string) => (await ask(client.POST("/api/auth/totp/enable", { body: { code } }))).codes;

export const disableTotp = async (body: { password: string; code: string }) => ask(client.POST("/api/auth/totp/disable", { body }));

export const renewRecoveryCodes = async (body: { password: string; code: string }) =>
  (await ask(client.POST("/api/auth/totp/recovery-codes", { body }))).codes;

export const renamePasskey = async ({ id, name }: { id: string; name: string }) =>
  ask(client.PATCH("/api/auth/passkeys/{passkey_id}", { params: { path: { passkey_id: id } }, body: { name } }));

export const removePasskey = async (id: string) =>
  ask(client.DELETE("/api/auth/passkeys/{passkey_id}", { params: { path: { passkey_id: id } } }));

export const forbidImageSender = async (sender: string) => ask(client.DELETE("/api/settings/image-senders", { body: { sender } }));

export const invite = async () => ask(client.POST("/api/auth/invitations"));

export const leave = async (password: string) => ask(client.DELETE("/api/auth/me", { body: { password } }));
