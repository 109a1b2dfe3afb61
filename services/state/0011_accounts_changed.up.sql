-- An account's settings change: nobody can change them without the log being told which, and sync notices what concerns it.

ALTER TABLE accounts
  ADD COLUMN paused   boolean NOT NULL DEFAULT false,  -- its server is left alone; its mail stays readable
  ADD COLUMN untold   text[]  NOT NULL DEFAULT '{}',   -- fields that changed since the log was last told
  ADD COLUMN revision int     NOT NULL DEFAULT 0;      -- of the settings, so that a later change is not taken for told
GRANT UPDATE (paused, untold) ON accounts TO webmail_gateway;

-- Servers change together with the secret that was tried at them, so that no password ever goes to another server.
GRANT UPDATE (imap, smtp) ON accounts TO webmail_sync;
CREATE POLICY servers ON accounts FOR UPDATE TO webmail_sync USING (true);
REVOKE UPDATE (imap, smtp) ON accounts FROM webmail_gateway;

CREATE FUNCTION note_account_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  fields text[] := array_remove(ARRAY[
    CASE WHEN OLD.display_name IS DISTINCT FROM NEW.display_name THEN 'display_name' END,
    CASE WHEN OLD.color        IS DISTINCT FROM NEW.color        THEN 'color' END,
    CASE WHEN OLD.imap         IS DISTINCT FROM NEW.imap         THEN 'imap' END,
    CASE WHEN OLD.smtp         IS DISTINCT FROM NEW.smtp         THEN 'smtp' END,
    CASE WHEN OLD.paused       IS DISTINCT FROM NEW.paused       THEN 'paused' END,
    CASE WHEN OLD.special_uses IS DISTINCT FROM NEW.special_uses THEN 'special_uses' END
  ], NULL);
BEGIN
  IF fields <> '{}' OR cardinality(NEW.untold) > cardinality(OLD.untold) THEN
    NEW.untold := ARRAY(SELECT DISTINCT field FROM unnest(NEW.untold || fields) field ORDER BY field);
    NEW.settled := false;
    NEW.revision := OLD.revision + 1;
    NEW.changed_at := now();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER changes_noted BEFORE UPDATE ON accounts FOR EACH ROW
  WHEN (OLD.status = 'active' AND NEW.status = 'active')
  EXECUTE FUNCTION note_account_changes();

DROP TRIGGER authorization_changed ON accounts;
CREATE TRIGGER authorization_changed BEFORE UPDATE ON accounts FOR EACH ROW
  WHEN ((OLD.user_id, OLD.imap, OLD.smtp, OLD.status, OLD.paused)
        IS DISTINCT FROM (NEW.user_id, NEW.imap, NEW.smtp, NEW.status, NEW.paused))
  EXECUTE FUNCTION raise_authorization_epoch();

-- The same secret under another master key is no other secret: only a new version is.
CREATE OR REPLACE FUNCTION raise_epoch_of_secret() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE accounts SET authorization_epoch = authorization_epoch + 1,
    untold = CASE WHEN status = 'active' THEN untold || 'credentials'::text ELSE untold END
  WHERE id = coalesce(NEW.account_id, OLD.account_id);
  RETURN NULL;
END $$;
DROP TRIGGER secret_changed ON account_secrets;
CREATE TRIGGER secret_changed AFTER INSERT OR UPDATE OF version OR DELETE ON account_secrets
  FOR EACH ROW EXECUTE FUNCTION raise_epoch_of_secret();
