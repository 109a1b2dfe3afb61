CREATE INDEX known_recipients_rank ON known_recipients (user_id, rank DESC, email);
CREATE INDEX words_of_recipient ON words (user_id, email);
