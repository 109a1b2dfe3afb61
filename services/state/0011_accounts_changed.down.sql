DROP TRIGGER secret_changed ON account_secrets;
CREATE TRIGGER secret_changed AFTER INSERT OR UPDATE OR DELETE ON account_secrets
  FOR EACH ROW EXECUTE FUNCTION raise_epoch_of_secret();
CREATE OR REPLACE FUNCTION raise_epoch_of_secret() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE accounts SET authorization_epoch = authorization_epoch + 1 WHERE id = coalesce(NEW.account_id, OLD.account_id);
  RETURN NULL;
END $$;

DROP TRIGGER authorization_changed ON accounts;
CREATE TRIGGER authorization_changed BEFORE UPDATE ON accounts FOR EACH ROW
  WHEN ((OLD.user_id, OLD.imap, OLD.smtp, OLD.status) IS DISTINCT FROM (NEW.user_id, NEW.imap, NEW.smtp, NEW.status))
  EXECUTE FUNCTION raise_authorization_epoch();

DROP TRIGGER changes_noted ON accounts;
DROP FUNCTION note_account_changes();

GRANT UPDATE (imap, smtp) ON accounts TO webmail_gateway;
DROP POLICY servers ON accounts;
REVOKE UPDATE (imap, smtp) ON accounts FROM webmail_sync;
ALTER TABLE accounts DROP COLUMN revision, DROP COLUMN untold, DROP COLUMN paused;
