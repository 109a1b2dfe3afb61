-- Addresses that may be suggested. `weight` of one letter: received 1, sent 3.
CREATE TABLE known_recipients (
    user_id      uuid        NOT NULL,
    email        text        NOT NULL,  -- in lower case
    name         text        NOT NULL,  -- the last one seen
    weight       bigint      NOT NULL,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, email)
);

-- What each mailbox is for; junk is not counted.
CREATE TABLE mailboxes (
    user_id     uuid NOT NULL,
    id          uuid NOT NULL,
    special_use text,
    PRIMARY KEY (id, user_id)
);

-- Letters that are counted, once each, whatever copies there are.
CREATE TABLE counted (
    user_id    uuid NOT NULL,
    message_id uuid NOT NULL,
    PRIMARY KEY (message_id, user_id)
);
