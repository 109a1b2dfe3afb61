DROP TABLE system_mails;
DELETE FROM links WHERE email IS NOT NULL;
ALTER TABLE links DROP COLUMN email;
ALTER TABLE users DROP COLUMN recovery_email;
