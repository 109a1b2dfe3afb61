-- What an erasure has begun to remove, so that one that dies in the middle is finished: the log no longer says it.
CREATE TABLE erasures (
  account_id uuid PRIMARY KEY,
  user_id    uuid NOT NULL,
  blobs      text[] NOT NULL
);
