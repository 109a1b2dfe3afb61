-- What sync last said of an account, and proof that it is at work.
CREATE TABLE accounts (
    user_id      uuid        NOT NULL,
    account_id   uuid        NOT NULL,
    state        text        NOT NULL,
    code         text        NOT NULL,
    retry_at     timestamptz,
    epoch        int         NOT NULL,
    worker       text        NOT NULL,
    last_sync_at timestamptz,          -- when sync last marked a mailbox
    repaired_at  timestamptz,          -- when an audit last found that the log was not as the server
    repaired     bigint      NOT NULL, -- placements that audits made right, ever
    repaired_by  bigint      NOT NULL, -- sequence of the fact that last said so
    PRIMARY KEY (account_id, user_id)
);

-- How much of each mailbox is readable, by its latest mark.
CREATE TABLE progress (
    user_id    uuid        NOT NULL,
    account_id uuid        NOT NULL,
    mailbox_id uuid        NOT NULL,
    generation int         NOT NULL,
    synced     bigint      NOT NULL,
    total      bigint      NOT NULL,
    done       boolean     NOT NULL,
    marked_at  timestamptz NOT NULL,
    PRIMARY KEY (mailbox_id, user_id)
);

CREATE INDEX accounts_user ON accounts (user_id);
CREATE INDEX progress_account ON progress (account_id);
