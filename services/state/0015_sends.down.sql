DROP FUNCTION unsettled_sends(interval);
CREATE OR REPLACE VIEW named_blobs AS SELECT user_id, blob FROM uploads WHERE blob IS NOT NULL;
DROP TABLE send_words, send_refusals, sends;
