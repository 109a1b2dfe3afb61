/** Mail made for tests: whole structs, of which a test says only what it is about. */
import type { Account, Draft, Identity, Mailbox, Me, Message, Send, ThreadSummary, Upload } from "@/api/schema";

export function aMessage(change: Partial<Message> = {}): Message {
  const id = change.id ?? "m1";
  return {
    id,
    thread_id: "t1",
    account_id: "a1",
    mailbox_ids: ["b1"],
    from: [{ name: "Maja Wiśniewska", email: "maja@example.org" }],
    sender: [],
    reply_to: [],
    to: [{ name: "Ada Lindqvist", email: "ada@example.org" }],
    cc: [],
    bcc: [],
    subject: "Train tickets",
    date: "2026-11-30T07:58:00Z",
    internal_date: "2026-11-30T07:58:00Z",
    unread: false,
    starred: false,
    answered: false,
    draft: false,
    forwarded: false,
    flags: [],
    size: 4096,
    snippet: `snippet of ${id}`,
    expanded: true,
    text: `text of ${id}`,
    has_html: false,
    designed: false,
    remote_images: { blocked: 0, allowed: false },
    attachments: [],
    warnings: [],
    message_id: `<${id}@example.org>`,
    list_unsubscribe: null,
    sanitizer_version: 3,
    ...change,
  };
}

export function aSummary(change: Partial<ThreadSummary> = {}): ThreadSummary {
  return {
    id: "t1",
    subject: "Train tickets",
    snippet: "The one with the boat",
    participants: [{ name: "Maja Wiśniewska", email: "maja@example.org" }],
    account_ids: ["a1"],
    message_count: 1,
    unread_count: 0,
    starred: false,
    has_attachments: false,
    last_message_at: "2026-11-30T07:58:00Z",
    mailbox_ids: ["b1"],
    ...change,
  };
}

export function anAccount(change: Partial<Account> = {}): Account {
  return {
    id: "a1",
    email: "ada@work.example",
    display_name: "Work",
    color: "",
    imap: { host: "imap.work.example", port: 993, tls: "ssl", username: "ada", auth: "password" },
    smtp: { host: "smtp.work.example", port: 465, tls: "ssl", username: "ada", auth: "password" },
    paused: false,
    state: "live",
    state_code: null,
    state_detail: "",
    progress: { synced: 10, total: 10 },
    unread: 3,
    last_sync_at: null,
    mailboxes: [],
    special_uses: {},
    quota: null,
    proof: null,
    jobs: [],
    identities: [anIdentity()],
    ...change,
  };
}

export function anIdentity(change: Partial<Identity> = {}): Identity {
  return { id: "i1", account_id: "a1", name: "Ada Lindqvist", email: "ada@work.example", reply_to: "", signature: "", is_default: true, ...change };
}

export function aDraft(change: Partial<Draft> = {}): Draft {
  return {
    id: "d1",
    revision: 0,
    account_id: "a1",
    identity_id: "i1",
    kind: "new",
    source_message_id: null,
    thread_id: null,
    to: [],
    cc: [],
    bcc: [],
    subject: "",
    html: "",
    plain: false,
    quote: "none",
    quoted: null,
    attachments: [],
    updated_at: "2026-11-30T09:00:00Z",
    outbox_id: null,
    saved_on_server: false,
    warnings: [],
    ...change,
  };
}

export function anUpload(change: Partial<Upload> = {}): Upload {
  return { id: "p1", filename: "plan.pdf", mime: "application/pdf", size: 10, received: 10, inline: false, content_id: null, complete: true, ...change };
}

export function aSend(change: Partial<Send> = {}): Send {
  return {
    id: "o1",
    draft_id: "d1",
    account_id: "a1",
    state: "queued",
    due: "2026-11-30T09:00:10Z",
    undo_until: "2026-11-30T09:00:10Z",
    scheduled: false,
    subject: "Train tickets",
    to: [{ name: "Maja Wiśniewska", email: "maja@example.org" }],
    code: null,
    reason: "",
    said: "",
    refused: [],
    attempts: 0,
    queued_at: "2026-11-30T09:00:00Z",
    settled_at: null,
    filed: false,
    thread_id: null,
    ...change,
  };
}

export function aMailbox(change: Partial<Mailbox> = {}): Mailbox {
  const path = change.path ?? "INBOX";
  return {
    id: "b1",
    path,
    name: path,
    delimiter: "/",
    special_use: null,
    selectable: true,
    unread: 0,
    total: 0,
    ...change,
  };
}

export const ada: Me = {
  user_id: "u1",
  handle: "ada@webmail.example",
  settings: { thread_order: "asc", tz: "Europe/Warsaw", language: "en", theme: "light", undo_window: 10 },
  is_admin: false,
};
