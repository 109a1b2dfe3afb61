-- In whose name sync works: a number that whatever changes an account's owner, servers, status or secret raises (design §7).

ALTER TABLE accounts
  ADD COLUMN authorization_epoch int   NOT NULL DEFAULT 1,
  ADD COLUMN special_uses        jsonb NOT NULL DEFAULT '{}';  -- {use: mailbox id}: the owner's own choice
GRANT UPDATE (special_uses) ON accounts TO webmail_gateway;

CREATE FUNCTION raise_authorization_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.authorization_epoch := OLD.authorization_epoch + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER authorization_changed BEFORE UPDATE ON accounts FOR EACH ROW
  WHEN ((OLD.user_id, OLD.imap, OLD.smtp, OLD.status) IS DISTINCT FROM (NEW.user_id, NEW.imap, NEW.smtp, NEW.status))
  EXECUTE FUNCTION raise_authorization_epoch();

-- A secret that is taken away and given again begins with version 1: the epoch has moved on.
CREATE FUNCTION raise_epoch_of_secret() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE accounts SET authorization_epoch = authorization_epoch + 1 WHERE id = coalesce(NEW.account_id, OLD.account_id);
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION raise_epoch_of_secret FROM PUBLIC;
CREATE TRIGGER secret_changed AFTER INSERT OR UPDATE OR DELETE ON account_secrets
  FOR EACH ROW EXECUTE FUNCTION raise_epoch_of_secret();
