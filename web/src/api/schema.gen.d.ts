/** The API's paths and structs, in the shape that openapi-typescript writes. */
interface Json<T> {
  headers: { [name: string]: unknown };
  content: { "application/json": T };
}

interface Nothing {
  headers: { [name: string]: unknown };
  content?: never;
}

interface NoParameters {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

interface WithPath<P> {
  query?: never;
  header?: never;
  path: P;
  cookie?: never;
}

interface Body<T> {
  content: { "application/json": T };
}

type Schemas = components["schemas"];

export interface paths {
  "/api/auth/register": {
    post: { parameters: NoParameters; requestBody: Body<Schemas["Registration"]>; responses: { 201: Json<Schemas["Me"]> } };
  };
  "/api/auth/login": {
    post: { parameters: NoParameters; requestBody: Body<Schemas["Login"]>; responses: { 200: Json<Schemas["Me"]> } };
  };
  "/api/auth/logout": { post: { parameters: NoParameters; requestBody?: never; responses: { 204: Nothing } } };
  "/api/auth/me": { get: { parameters: NoParameters; responses: { 200: Json<Schemas["Me"]> } } };
  "/api/settings": {
    get: { parameters: NoParameters; responses: { 200: Json<Schemas["Settings"]> } };
    patch: {
      parameters: NoParameters;
      requestBody: Body<Partial<Schemas["Settings"]>>;
      responses: { 200: Json<Schemas["Settings"]> };
    };
  };
  "/api/config": { get: { parameters: NoParameters; responses: { 200: Json<Schemas["Config"]> } } };
  "/api/accounts": {
    get: { parameters: NoParameters; responses: { 200: Json<Schemas["AccountList"]> } };
    post: { parameters: NoParameters; requestBody: Body<Schemas["NewAccount"]>; responses: { 201: Json<Schemas["Account"]> } };
  };
  "/api/accounts/{account_id}": {
    delete: { parameters: WithPath<{ account_id: string }>; responses: { 204: Nothing } };
  };
  "/api/threads": {
    get: {
      parameters: {
        query?: { view?: string; q?: string; cursor?: string; offset?: number; limit?: number };
        header?: never;
        path?: never;
        cookie?: never;
      };
      responses: { 200: Json<Schemas["ThreadPage"]> };
    };
  };
  "/api/threads/{thread_id}": {
    get: {
      parameters: {
        query?: { sort?: "asc" | "desc"; expand?: number };
        header?: never;
        path: { thread_id: string };
        cookie?: never;
      };
      responses: { 200: Json<Schemas["Thread"]> };
    };
  };
  "/api/messages/{message_id}": {
    get: { parameters: WithPath<{ message_id: string }>; responses: { 200: Json<Schemas["Message"]> } };
  };
  "/api/messages/{message_id}/allow-remote-images": {
    post: {
      parameters: WithPath<{ message_id: string }>;
      requestBody: Body<{ scope: "once" | "sender" }>;
      responses: { 200: Json<{ allowed: boolean }> };
    };
  };
}

export interface components {
  schemas: {
    Registration: { localpart: string; password: string; tz: string; language: "en" | "pl" };
    Login: { handle: string; password: string };
    Settings: { thread_order: "asc" | "desc"; tz: string; language: "en" | "pl"; theme: "system" | "light" | "dark" };
    Me: { user_id: string; handle: string; settings: Schemas["Settings"] };
    Config: { app_domain: string; registration: "open" | "closed"; secure: boolean };
    Server: { host: string; port: number; tls: "ssl" | "starttls" | "none"; username: string; password: string };
    NewAccount: {
      email: string;
      display_name: string;
      color?: string;
      imap: Schemas["Server"];
      smtp: Schemas["Server"] | null;
    };
    AccountList: { accounts: Schemas["Account"][] };
    Progress: { synced: number; total: number };
    Account: {
      id: string;
      email: string;
      display_name: string;
      color: string;
      state: "connecting" | "backfilling" | "live" | "error" | "reconnect_required" | "disabled";
      state_code: string | null;
      state_detail: string;
      progress: Schemas["Progress"];
      unread: number;
      last_sync_at: string | null;
      mailboxes: Schemas["Mailbox"][];
    };
    Mailbox: {
      id: string;
      path: string;
      name: string;
      delimiter: string | null;
      special_use: "inbox" | "sent" | "drafts" | "trash" | "junk" | "archive" | null;
      selectable: boolean;
      unread: number;
      total: number;
    };
    Addr: { name: string; email: string };
    ThreadSummary: {
      id: string;
      subject: string;
      snippet: string;
      participants: Schemas["Addr"][];
      account_ids: string[];
      message_count: number;
      unread_count: number;
      starred: boolean;
      has_attachments: boolean;
      last_message_at: string;
      mailbox_ids: string[];
    };
    ThreadPage: {
      threads: Schemas["ThreadSummary"][];
      total: number;
      total_exact: boolean;
      next_cursor: string | null;
      position: number;
    };
    Thread: { id: string; subject: string; messages: Schemas["Message"][]; position: number };
    Message: {
      id: string;
      thread_id: string;
      account_id: string;
      mailbox_ids: string[];
      from: Schemas["Addr"][];
      sender: Schemas["Addr"][];
      reply_to: Schemas["Addr"][];
      to: Schemas["Addr"][];
      cc: Schemas["Addr"][];
      bcc: Schemas["Addr"][];
      subject: string;
      date: string;
      internal_date: string;
      unread: boolean;
      starred: boolean;
      answered: boolean;
      draft: boolean;
      forwarded: boolean;
      flags: string[];
      size: number;
      snippet: string;
      expanded: boolean;
      text: string | null;
      has_html: boolean;
      designed: boolean;
      remote_images: { blocked: number; allowed: boolean };
      attachments: Schemas["Attachment"][];
      warnings: string[];
      message_id: string | null;
      list_unsubscribe: string | null;
      sanitizer_version: number;
    };
    Attachment: {
      id: string;
      filename: string;
      mime: string;
      size: number;
      inline: boolean;
      content_id: string | null;
      previewable: boolean;
    };
  };
}
