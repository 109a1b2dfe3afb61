DROP VIEW open_drafts;
CREATE VIEW open_drafts WITH (security_invoker = true) AS
SELECT d.id, d.user_id, d.account_id, coalesce(d.identity_id, i.id) AS identity_id, d.message_id_header, d.kind,
  d.source_message_id, d.continued_id, d.recipients::text AS recipients, d.subject, d.html, d.plain, d.quote, d.revision,
  d.edition, d.outbox_id, d.updated_at, d.mirrored_edition, d.mirror_account_id, d.mirror_mailbox_id, d.mirror_uidvalidity,
  d.mirror_uid
FROM drafts d
JOIN accounts a ON a.id = d.account_id AND a.user_id = d.user_id AND a.status = 'active'
JOIN identities i ON i.account_id = d.account_id AND i.user_id = d.user_id AND i.is_default
WHERE d.deleted_at IS NULL;
GRANT SELECT ON open_drafts TO webmail_gateway, webmail_outbound;
REVOKE UPDATE (continued_id, mirrored_edition, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid)
  ON drafts FROM webmail_gateway;
DROP TABLE draft_quotes;
ALTER TABLE drafts DROP in_reply_to, DROP reference_ids, DROP copies;
