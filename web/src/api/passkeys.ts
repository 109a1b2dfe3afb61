/** The browser's side of WebAuthn: the gateway's options in, the device's answer out. */
import { ask, client } from "./client";
import { ApiError } from "./errors";

/** Where there is a name to make keys for, and a browser that speaks WebAuthn's JSON. */
export function passkeysWork(): boolean {
  const named = !/^(?:[\d.]+|\[.*\])$/u.test(globalThis.location.hostname);
  return named && typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

export async function addPasskey({ password, name }: { password: string; name: string }) {
  const { options } = await ask(client.POST("/api/auth/passkeys/options", { body: { password } }));
  // The gateway says exactly what WebAuthn §5.1.8 asks for.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  const credential = await fromDevice(async () => navigator.credentials.create({ publicKey }));
  return ask(client.POST("/api/auth/passkeys", { body: { name, credential } }));
}

export async function logInByPasskey() {
  const { options } = await ask(client.POST("/api/auth/passkeys/challenge"));
  // The same for §5.1.9.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  const credential = await fromDevice(async () => navigator.credentials.get({ publicKey }));
  return ask(client.POST("/api/auth/passkeys/login", { body: { credential } }));
}

/** Throws ApiError: whoever says no to the device, or has no key in it, is told as with everything else. */
async function fromDevice(asked: () => Promise<Credential | null>): Promise<Record<string, unknown>> {
  let given: Credential | null;
  try {
    given = await asked();
  } catch (cause) {
    const known = cause instanceof DOMException && cause.name === "InvalidStateError";
    throw new ApiError(known ? "passkey_exists" : "passkey_cancelled", "", 0);
  }
  if (!(given instanceof PublicKeyCredential)) throw new ApiError("passkey_cancelled", "", 0);
  // What it says is JSON for the gateway, which alone reads it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return given.toJSON() as unknown as Record<string, unknown>;
}
