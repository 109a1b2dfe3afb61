/** What is filled in while an account is being connected, from what was found or guessed to what the API takes. */
import type { NewAccount } from "@/api/schema";
import type { Candidate, Trial } from "@/api/wizard";

import { guess, type ServerDraft } from "./ServerFields";

export interface Who {
  email: string;
  name: string;
  password: string;
}

export interface Draft {
  username: string;
  imap: ServerDraft;
  smtp: ServerDraft;
  sends: boolean;
}

/** Where nothing was found, the usual names. */
export function draftOf(email: string, candidate: Candidate | undefined): Draft {
  const server = (found: { host: string; port: number; tls: ServerDraft["tls"] } | null | undefined, kind: "imap" | "smtp") =>
    found ? { host: found.host, port: String(found.port), tls: found.tls } : guess(kind, email);
  return {
    username: candidate?.imap.username ?? email,
    imap: server(candidate?.imap, "imap"),
    smtp: server(candidate?.smtp, "smtp"),
    sends: candidate === undefined || candidate.smtp !== null,
  };
}

export function trialOf(draft: Draft, password: string): Trial {
  const login = { username: draft.username.trim(), password };
  const server = ({ host, port, tls }: ServerDraft) => ({ host: host.trim(), port: Number(port), tls, ...login });
  return { imap: server(draft.imap), smtp: draft.sends ? server(draft.smtp) : null };
}

export function accountOf(who: Who, draft: Draft): NewAccount {
  return { email: who.email, display_name: who.name.trim(), ...trialOf(draft, who.password) };
}
