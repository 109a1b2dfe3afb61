CREATE INDEX docs_date ON docs (user_id, date DESC, message_id DESC);
-- Words wait in a list until they are 32 MB, or until autovacuum comes by: sorting many at once is cheaper, most mailboxes have
-- arrived by then, and looking through a full list takes 7 ms of a search.
CREATE INDEX docs_words ON docs USING gin (tsv) WITH (fastupdate = on, gin_pending_list_limit = 32768);
