/** The names of the API's structs, as the rest of the client uses them. */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Settings = Schemas["Settings"];
export type Me = Schemas["Me"];
export type Config = Schemas["Config"];
export type Account = Schemas["Account"] & { identities: Identity[] };
export type Mailbox = Schemas["Mailbox"];
export type SyncJob = Schemas["SyncJob"];
export type ChosenUse = keyof Schemas["SpecialUses"];
export type AccountChange = Schemas["AccountChange"];
export type Servers = Schemas["Reconnect"];
export type NewSignIn = Schemas["NewSignIn"];
export type NewAccount = Schemas["NewAccount"];
export type Server = Schemas["Server"];
export type ThreadSummary = Schemas["ThreadSummary"];
export type ThreadPage = Schemas["ThreadPage"];
export type Thread = Schemas["Thread"];
export type Message = Schemas["Message"];
export type Attachment = Schemas["Attachment"];
export type Addr = Schemas["Addr"];
export type ActionWish = Schemas["ActionWish"];
export type Entry = Schemas["Entry"];
export type Order = Settings["thread_order"];
export type Theme = Settings["theme"];
export type Language = Settings["language"];

export type Kind = "new" | "reply" | "reply_all" | "forward";

export interface Identity {
  id: string;
  account_id: string;
  name: string;
  email: string;
  reply_to: string;
  signature: string;
  is_default: boolean;
}

export interface Upload {
  id: string;
  filename: string;
  mime: string;
  size: number;
  received: number;
  inline: boolean;
  content_id: string | null;
  complete: boolean;
}

export interface Draft {
  id: string;
  revision: number;
  account_id: string;
  identity_id: string;
  kind: Kind;
  source_message_id: string | null;
  thread_id: string | null;
  to: Addr[];
  cc: Addr[];
  bcc: Addr[];
  subject: string;
  html: string;
  plain: boolean;
  quote: "full" | "none";
  quoted: { message_id: string; from: Addr | null; date: string; has_html: boolean } | null;
  attachments: Upload[];
  updated_at: string;
  outbox_id: string | null;
  saved_on_server: boolean;
  warnings: string[];
}

export interface DraftSummary {
  id: string | null;
  message_id: string | null;
  account_id: string;
  to: Addr[];
  subject: string;
  snippet: string;
  updated_at: string;
  outbox_id: string | null;
  thread_id: string | null;
  kind: Kind;
}

export interface Send {
  id: string;
  draft_id: string;
  account_id: string;
  state: "queued" | "attempted" | "delivered" | "failed" | "unconfirmed" | "cancelled";
  due: string;
  undo_until: string;
  scheduled: boolean;
  subject: string;
  to: Addr[];
  code: string | null;
  reason: string;
  said: string;
  refused: { email: string; code: number; text: string }[];
  attempts: number;
  queued_at: string;
  settled_at: string | null;
  filed: boolean;
  thread_id: string | null;
}
