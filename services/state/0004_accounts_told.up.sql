-- Sync hears at once that an account was added, changed or removed; it looks now and then in any case.
CREATE FUNCTION announce_changed_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('accounts_changed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_changed AFTER INSERT OR UPDATE OR DELETE ON accounts
  FOR EACH STATEMENT EXECUTE FUNCTION announce_changed_accounts();
