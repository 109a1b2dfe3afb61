DROP TABLE image_grants, image_senders, account_secrets;
DROP FUNCTION unsettled_accounts;
DROP TABLE accounts, attempts, sessions, users;
DROP FUNCTION announce_revoked_session, current_user_id;
REVOKE USAGE ON SCHEMA public, control
  FROM webmail_gateway, webmail_sync, webmail_outbound, webmail_projector, webmail_plugins;
