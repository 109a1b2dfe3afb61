-- name: begin
-- Two that go on from the same message at once: the second waits for the first and makes nothing.
INSERT INTO drafts (user_id, account_id, identity_id, message_id_header, kind, source_message_id, continued_id, recipients,
    subject, html, plain, quote, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT DO NOTHING
RETURNING id

-- name: draft
SELECT * FROM open_drafts WHERE user_id = $1 AND id = $2

-- name: continuing
SELECT * FROM open_drafts WHERE user_id = $1 AND (continued_id = $2 OR message_id_header = $3)
ORDER BY continued_id = $2 DESC NULLS LAST LIMIT 1

-- name: newest
SELECT * FROM open_drafts WHERE user_id = $1 AND (edition > 0 OR mirror_uid IS NOT NULL)
ORDER BY updated_at DESC, id DESC LIMIT $2

-- name: known_headers
SELECT message_id_header FROM drafts WHERE user_id = $1

-- name: save
UPDATE drafts SET identity_id = i.id, account_id = i.account_id, recipients = $5::jsonb, subject = $6, html = $7, plain = $8,
    quote = $9, revision = revision + 1, edition = edition + 1, updated_at = now()
FROM identities i JOIN accounts a ON a.id = i.account_id AND a.user_id = $1 AND a.status = 'active'
WHERE drafts.user_id = $1 AND drafts.id = $2 AND drafts.revision = $3 AND deleted_at IS NULL AND outbox_id IS NULL
    AND i.user_id = $1 AND i.id = $4
RETURNING revision

-- name: touch
UPDATE drafts SET edition = edition + 1, updated_at = now() WHERE user_id = $1 AND id = $2

-- name: changeable
SELECT id FROM drafts WHERE user_id = $1 AND id = $2 AND deleted_at IS NULL AND outbox_id IS NULL FOR UPDATE

-- name: delete
WITH deleted AS (
    UPDATE drafts SET deleted_at = now(), updated_at = now()
    WHERE user_id = $1 AND id = $2 AND deleted_at IS NULL AND outbox_id IS NULL
    RETURNING id
), files AS (
    DELETE FROM uploads WHERE user_id = $1 AND draft_id IN (SELECT id FROM deleted)
)
SELECT id FROM deleted

-- name: forget_abandoned
-- A function of the owner's, since it looks across users.
SELECT forget_abandoned($1)
