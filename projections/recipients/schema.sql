-- Addresses that may be suggested. `weight` of one letter: received 1, sent 3. `rank`: a letter counts half after 60 days, so
-- the order of people never changes by itself, and no clock is needed for it. `found_by`: their words (words.words), each after
-- a blank.
CREATE TABLE known_recipients (
    user_id      uuid        NOT NULL,
    email        text        NOT NULL,  -- in lower case
    name         text        NOT NULL,  -- the last one seen
    weight       bigint      NOT NULL,
    last_used_at timestamptz NOT NULL,
    rank         double precision NOT NULL GENERATED ALWAYS AS (
        log(2.0, weight) + extract(epoch FROM last_used_at - timestamptz '2000-01-01 00:00+00') / 86400 / 60) STORED,
    found_by     text        NOT NULL DEFAULT '',
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

-- The same words for looking up: `C` makes those with one beginning neighbours, and comparisons usable under row-level
-- security.
CREATE TABLE words (
    user_id uuid             NOT NULL,
    word    text COLLATE "C" NOT NULL,
    email   text             NOT NULL,
    PRIMARY KEY (user_id, word, email)
);
