DROP TABLE links, challenges, passkeys, recovery_codes;
ALTER TABLE sessions DROP COLUMN network;
DROP TRIGGER first_user ON users;
DROP FUNCTION first_user_is_administrator;
REVOKE UPDATE (password_hash) ON users FROM webmail_gateway;
ALTER TABLE users
  DROP COLUMN is_admin, DROP COLUMN totp_proposed, DROP COLUMN totp_secret, DROP COLUMN totp_step, DROP COLUMN removed_at;
