-- When somebody last looked, for sync's tiers; it outlives the sessions that it was seen in.

ALTER TABLE users ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();

CREATE FUNCTION note_seen_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE users SET seen_at = greatest(seen_at, NEW.last_seen_at) WHERE id = NEW.user_id;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION note_seen_user FROM PUBLIC;

CREATE TRIGGER user_seen AFTER INSERT OR UPDATE OF last_seen_at ON sessions
  FOR EACH ROW EXECUTE FUNCTION note_seen_user();

GRANT SELECT (id, seen_at) ON users TO webmail_sync;
