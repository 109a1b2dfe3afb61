CREATE INDEX docs_date ON docs (user_id, date DESC, message_id DESC);
CREATE INDEX docs_words ON docs USING gin (tsv) WITH (fastupdate = on, gin_pending_list_limit = 16384);
