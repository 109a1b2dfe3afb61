/** The names of the API's structs, as the rest of the client uses them. */
import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Settings = Schemas["Settings"];
export type Me = Schemas["Me"];
export type Config = Schemas["Config"];
export type Account = Schemas["Account"];
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
export type Identity = Schemas["Identity"];
export type Draft = Schemas["Draft"];
export type DraftSummary = Schemas["DraftSummary"];
export type NewDraft = Required<Schemas["NewDraft"]>;
export type Upload = Schemas["Upload"];
export type Kind = Draft["kind"];
export type Send = Schemas["Send"];
export type Queued = Schemas["Queued"];
