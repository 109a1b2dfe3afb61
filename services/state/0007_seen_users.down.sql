DROP TRIGGER user_seen ON sessions;
DROP FUNCTION note_seen_user;
REVOKE SELECT (id, seen_at) ON users FROM webmail_sync;
ALTER TABLE users DROP COLUMN seen_at;
