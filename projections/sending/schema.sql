-- One row a send. Each of its facts follows the one before by compare-and-set, so the last one says all.
CREATE TABLE outbox (
    user_id    uuid        NOT NULL,
    account_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    draft_id   uuid        NOT NULL,
    revision   int         NOT NULL,  -- which of the draft's contents
    due        timestamptz NOT NULL,
    state      text        NOT NULL,  -- queued, attempted, delivered, failed, unconfirmed, cancelled
    attempts   int         NOT NULL,
    refused    int         NOT NULL,  -- recipients that the server did not take
    code       text        NOT NULL,  -- why it failed
    copy       text,                  -- appended, found, none; null: what follows a delivery is not done
    queued_at  timestamptz NOT NULL,
    settled_at timestamptz,
    sequence   bigint      NOT NULL,  -- of its last fact: what the next one expects
    PRIMARY KEY (id, user_id)
);

CREATE INDEX outbox_newest ON outbox (user_id, queued_at DESC);
CREATE INDEX outbox_of_draft ON outbox (draft_id);
CREATE INDEX outbox_open ON outbox (user_id) WHERE state IN ('queued', 'attempted') OR state = 'delivered' AND copy IS NULL;
