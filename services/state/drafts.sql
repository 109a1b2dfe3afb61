-- name: begin
-- Two that go on from the same message at once: the second waits for the first and makes nothing.
INSERT INTO drafts (user_id, account_id, identity_id, message_id_header, kind, source_message_id, continued_id, recipients,
    subject, html, plain, quote, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid, in_reply_to, reference_ids,
    copies)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
ON CONFLICT DO NOTHING
RETURNING id

-- name: draft
SELECT d.*, o.state FROM open_drafts d LEFT JOIN sending.outbox o ON o.id = d.outbox_id AND o.user_id = $1
WHERE d.user_id = $1 AND d.id = $2

-- name: continuing
SELECT d.*, o.state FROM open_drafts d LEFT JOIN sending.outbox o ON o.id = d.outbox_id AND o.user_id = $1
WHERE d.user_id = $1 AND (d.continued_id = $2 OR d.message_id_header = '<' || $3 || '>')
ORDER BY d.continued_id = $2 DESC NULLS LAST LIMIT 1

-- name: newest
-- Those that are sent wait for outbound to remove them.
SELECT d.*, o.state FROM open_drafts d LEFT JOIN sending.outbox o ON o.id = d.outbox_id AND o.user_id = $1
WHERE d.user_id = $1 AND (d.edition > 0 OR d.mirror_uid IS NOT NULL) AND o.state IS DISTINCT FROM 'delivered'
ORDER BY d.updated_at DESC, d.id DESC LIMIT $2

-- name: known
SELECT message_id_header, continued_id FROM drafts WHERE user_id = $1

-- name: changeable
-- A send that the read model does not know yet is on its way.
SELECT id FROM drafts WHERE user_id = $1 AND id = $2 AND deleted_at IS NULL AND (outbox_id IS NULL OR EXISTS (
    SELECT FROM sending.outbox o WHERE o.id = outbox_id AND o.user_id = $1 AND o.state IN ('failed', 'unconfirmed', 'cancelled')))
FOR UPDATE

-- name: save
UPDATE drafts SET identity_id = i.id, account_id = i.account_id, recipients = $5::jsonb, subject = $6, html = $7, plain = $8,
    quote = $9, revision = drafts.revision + 1, edition = edition + 1, updated_at = now()
FROM identities i JOIN accounts a ON a.id = i.account_id AND a.user_id = $1 AND a.status = 'active'
WHERE drafts.user_id = $1 AND drafts.id = $2 AND drafts.revision = $3 AND i.user_id = $1 AND i.id = $4
RETURNING drafts.id

-- name: take_over
-- What was just saved is what this copy on the server is already.
UPDATE drafts SET continued_id = $3, mirrored_edition = edition, mirror_account_id = $4, mirror_mailbox_id = $5,
    mirror_uidvalidity = $6, mirror_uid = $7, copies = copies || $8::text
WHERE user_id = $1 AND id = $2

-- name: touch
UPDATE drafts SET edition = edition + 1, updated_at = now() WHERE user_id = $1 AND id = $2

-- name: delete
UPDATE drafts SET deleted_at = now(), updated_at = now() WHERE user_id = $1 AND id = $2

-- name: delete_files
DELETE FROM uploads WHERE user_id = $1 AND draft_id = $2

-- name: delete_whole_files
DELETE FROM uploads WHERE user_id = $1 AND draft_id = $2 AND blob IS NOT NULL

-- name: forget
-- With its files, whose blobs the eraser looks after.
DELETE FROM drafts WHERE user_id = $1 AND id = $2

-- name: send
UPDATE drafts SET outbox_id = $3 WHERE user_id = $1 AND id = $2

-- name: release
UPDATE drafts SET outbox_id = NULL WHERE user_id = $1 AND outbox_id = $2

-- name: being_sent
SELECT outbox_id FROM open_drafts WHERE user_id = $1 AND outbox_id IS NOT NULL

-- name: forget_abandoned
-- A function of the owner's, since it looks across users.
SELECT forget_abandoned($1)
