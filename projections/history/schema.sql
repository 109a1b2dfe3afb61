-- One row a request, with its outcome.
CREATE TABLE requests (
    user_id    uuid        NOT NULL,
    account_id uuid        NOT NULL,
    id         uuid        NOT NULL,
    sequence   bigint      NOT NULL,
    at         timestamptz NOT NULL,
    by         text        NOT NULL,  -- user, rule:<id>, plugin:<name>, undo:<request>
    undoes     uuid,                  -- the request that this one takes back
    kind       text        NOT NULL,  -- flags, move, delete
    add        text[]      NOT NULL,
    remove     text[]      NOT NULL,
    source     uuid,                  -- of a move or delete; null: wherever the messages were shown
    target     uuid,
    asked      int         NOT NULL,  -- messages
    state      text        NOT NULL,  -- pending, applied, refused, expired
    code       text        NOT NULL,  -- why it was refused
    settled_at timestamptz,
    PRIMARY KEY (id, user_id)
);

-- The messages of a request. `done`: the server changed it. `sources`: the mailboxes that a move takes it out of.
CREATE TABLE touched (
    user_id    uuid    NOT NULL,
    account_id uuid    NOT NULL,
    request_id uuid    NOT NULL,
    message_id uuid    NOT NULL,
    sources    uuid[]  NOT NULL,
    done       boolean NOT NULL,
    PRIMARY KEY (request_id, message_id, user_id)
);

CREATE INDEX requests_newest ON requests (user_id, sequence DESC);
CREATE INDEX requests_undoes ON requests (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX touched_message ON touched (message_id);
