-- The mail read model. Identifiers lead primary keys and indexes, since a user that the planner has no statistics of looks
-- empty; `user_id` stays a filter everywhere.

-- Accounts that are shown no more; what sync still says of them is not shown either.
CREATE TABLE removed_accounts (
    user_id    uuid NOT NULL,
    account_id uuid NOT NULL,
    PRIMARY KEY (account_id, user_id)
);

-- `shown` and `staged` are generations: what readers see, and a later listing that is still filling. UIDs of the staged one
-- from `staged_uidnext` on are arrivals and shown at once. `scopes`: the lists that a placement here puts a message into.
CREATE TABLE mailboxes (
    user_id           uuid    NOT NULL,
    id                uuid    PRIMARY KEY,
    account_id        uuid    NOT NULL,
    path              text    NOT NULL,
    delimiter         text,
    special_use       text,
    selectable        boolean NOT NULL,
    discarded         boolean NOT NULL,  -- Trash and Junk: in no list but their own
    scopes            uuid[]  NOT NULL,
    shown             int,
    shown_validity    bigint,
    staged            int,
    staged_validity   bigint,
    staged_uidnext    bigint
);

-- A message is what the user thinks of as one mail in an account. It keeps its row when no placement holds it.
CREATE TABLE messages (
    user_id         uuid        NOT NULL,
    id              uuid        PRIMARY KEY,
    account_id      uuid        NOT NULL,
    thread_id       uuid        NOT NULL,
    sequence        bigint      NOT NULL,  -- of the fact that first told of it
    sent_at         timestamptz NOT NULL,  -- by its Date, unless that is beyond belief
    internal_date   timestamptz NOT NULL,
    size            bigint      NOT NULL,
    blob            text        NOT NULL,
    message_id      text,                  -- the header
    subject         text        NOT NULL,
    snippet         text        NOT NULL,
    from_name       text        NOT NULL,
    from_email      text        NOT NULL,
    has_attachments boolean     NOT NULL,
    shown           boolean,               -- null: not yet
    keys            uuid[]      NOT NULL,  -- of thread_refs
    base            bigint,                -- hash of the base subject
    people          bigint[]    NOT NULL,  -- hashes of addresses
    answering       boolean     NOT NULL,  -- a reply that mentions no id
    answers         uuid,                  -- what it was joined to by its subject
    answered_at     timestamptz
) WITH (fillfactor = 90);

-- One copy of a message in one mailbox. `flags` are the server's, `wanted` those that pending requests make of them; `place`
-- is the mailbox it is shown in, null for nowhere. `modseq` and `applied` (sequence of an outcome that they include) say how
-- fresh `flags` are. `provisional`: an outcome or a request put it here and sync has not seen it yet; its uid may be unknown.
CREATE TABLE placements (
    user_id     uuid    NOT NULL,
    account_id  uuid    NOT NULL,
    message_id  uuid    NOT NULL,
    mailbox_id  uuid    NOT NULL,
    generation  int     NOT NULL,
    uid         bigint,
    flags       text[]  NOT NULL,
    wanted      text[],
    place       uuid,
    modseq      bigint  NOT NULL DEFAULT 0,
    applied     bigint  NOT NULL DEFAULT 0,
    provisional boolean NOT NULL DEFAULT false,
    unread      boolean GENERATED ALWAYS AS (NOT coalesce(wanted, flags) @> ARRAY['\Seen']) STORED,
    starred     boolean GENERATED ALWAYS AS (coalesce(wanted, flags) @> ARRAY['\Flagged']) STORED,
    UNIQUE (mailbox_id, generation, uid)
) WITH (fillfactor = 85);

-- Requests whose outcome is not known, one row a message, applied in the order of `sequence`.
CREATE TABLE pending (
    user_id    uuid   NOT NULL,
    account_id uuid   NOT NULL,
    request_id uuid   NOT NULL,
    message_id uuid   NOT NULL,
    sequence   bigint NOT NULL,
    kind       text   NOT NULL,  -- flags, move, delete
    add        text[] NOT NULL DEFAULT '{}',
    remove     text[] NOT NULL DEFAULT '{}',
    source     uuid,             -- of a move or delete; null: wherever it is shown
    target     uuid,
    PRIMARY KEY (request_id, message_id)
);

-- Where outcomes took messages away: what sync saw there before that is not shown again. Until it has looked since.
CREATE TABLE departed (
    user_id    uuid   NOT NULL,
    account_id uuid   NOT NULL,
    mailbox_id uuid   NOT NULL,
    generation int    NOT NULL,
    uid        bigint NOT NULL,
    applied    bigint NOT NULL,  -- sequence of the outcome
    PRIMARY KEY (mailbox_id, generation, uid, user_id)
);

CREATE TABLE attachments (
    user_id      uuid    NOT NULL,
    id           uuid    PRIMARY KEY,
    account_id   uuid    NOT NULL,
    message_id   uuid    NOT NULL,
    index        int     NOT NULL,
    filename     text    NOT NULL,
    mime         text    NOT NULL,
    size         bigint  NOT NULL,
    inline       boolean NOT NULL,
    content_id   text,
    start        bigint  NOT NULL,  -- its encoded slice of the blob
    length       bigint  NOT NULL,
    encoding     text    NOT NULL,
    charset      text
);

-- Every id that mail is or mentions. `claims`: see threads.Ref.
CREATE TABLE thread_refs (
    user_id   uuid     NOT NULL,
    ref       uuid     NOT NULL,
    thread_id uuid     NOT NULL,
    claims    bigint[] NOT NULL,
    PRIMARY KEY (ref, user_id)
);

-- Always counted from messages and placements. Of what is discarded only while there is nothing else.
CREATE TABLE threads (
    user_id         uuid        NOT NULL,
    id              uuid        PRIMARY KEY,
    opened          bigint      NOT NULL,
    subject         text        NOT NULL,
    snippet         text        NOT NULL,
    participants    jsonb       NOT NULL,  -- [[name, email], …] by first appearance
    account_ids     uuid[]      NOT NULL,
    message_count   int         NOT NULL,
    unread_count    int         NOT NULL,
    starred         boolean     NOT NULL,
    has_attachments boolean     NOT NULL,
    last_message_at timestamptz
) WITH (fillfactor = 85);

-- The lists: scope_id is a mailbox, an account, the user (unified inbox), or one of scopes.SPECIAL. Of a thread's lists both
-- the thread and the user are known: a key without the user would lose to the index of the lists, which skips through all.
CREATE TABLE thread_scopes (
    user_id         uuid        NOT NULL,
    thread_id       uuid        NOT NULL,
    scope_id        uuid        NOT NULL,
    last_message_at timestamptz NOT NULL,
    message_count   int         NOT NULL,
    unread_count    int         NOT NULL,
    PRIMARY KEY (thread_id, user_id, scope_id)
) WITH (fillfactor = 85);

-- How many threads a list has.
CREATE TABLE scopes (
    user_id  uuid   NOT NULL,
    scope_id uuid   NOT NULL,
    threads  bigint NOT NULL,
    unread   bigint NOT NULL,
    PRIMARY KEY (scope_id, user_id)
);

-- What the folds themselves look up by; the lists' order is an index made after a load.
CREATE INDEX mailboxes_user ON mailboxes (user_id);
CREATE INDEX messages_thread ON messages (thread_id);
CREATE INDEX messages_base ON messages (base, sent_at) WHERE base IS NOT NULL;
CREATE INDEX messages_answering ON messages (base, sent_at) WHERE answering;
CREATE INDEX placements_message ON placements (message_id);
CREATE INDEX placements_provisional ON placements (mailbox_id) WHERE provisional;
CREATE INDEX pending_message ON pending (message_id);
CREATE INDEX attachments_message ON attachments (message_id);
