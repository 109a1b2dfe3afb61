DROP TRIGGER accounts_changed ON accounts;
DROP FUNCTION announce_changed_accounts();
