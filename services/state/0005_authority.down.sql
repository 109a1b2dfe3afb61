DROP TRIGGER secret_changed ON account_secrets;
DROP FUNCTION raise_epoch_of_secret();
DROP TRIGGER authorization_changed ON accounts;
DROP FUNCTION raise_authorization_epoch();
ALTER TABLE accounts DROP COLUMN special_uses, DROP COLUMN authorization_epoch;
