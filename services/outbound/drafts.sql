-- name: changed
-- Of all users: what the copy on the server no longer is, and what is to go; nothing of what is being sent.
SELECT d.id, d.user_id, d.account_id, d.identity_id, d.message_id_header, d.in_reply_to, d.reference_ids, d.recipients::text AS recipients,
    d.subject, d.html, d.plain, d.edition, d.updated_at, d.deleted_at IS NOT NULL AS deleted,
    d.mirror_account_id, d.mirror_mailbox_id, d.mirror_uidvalidity, d.mirror_uid, d.copies
FROM drafts d JOIN accounts a ON a.id = d.account_id AND a.user_id = d.user_id AND a.status = 'active' AND NOT a.paused
WHERE (d.deleted_at IS NOT NULL OR d.mirrored_edition < d.edition AND coalesce(d.mirrored_at < now() - $1::interval, true))
    AND (d.outbox_id IS NULL OR EXISTS (SELECT FROM sending.outbox o
        WHERE o.id = d.outbox_id AND o.user_id = d.user_id AND o.state IN ('failed', 'unconfirmed', 'cancelled')))
ORDER BY d.updated_at

-- name: sent
-- The draft of a send, unless there is a later send of it.
SELECT id, user_id, account_id, message_id_header, mirror_account_id, mirror_mailbox_id, mirror_uidvalidity, mirror_uid, copies
FROM drafts WHERE user_id = $1 AND id = $2 AND (outbox_id IS NULL OR outbox_id = $3)

-- name: mirroring
-- Before it is put there: whoever comes after a death in the middle knows it again.
UPDATE drafts SET copies = $3 WHERE user_id = $1 AND id = $2

-- name: mirrored
UPDATE drafts SET mirrored_edition = $3, mirrored_at = now(), mirror_account_id = $4, mirror_mailbox_id = $5,
    mirror_uidvalidity = $6, mirror_uid = $7
WHERE user_id = $1 AND id = $2

-- name: copies
-- Of messages of a mailbox ($2, $3: and how it is numbered) those that have these bytes.
SELECT p.uid FROM mail.mailboxes b
JOIN mail.placements p ON p.mailbox_id = b.id AND p.generation = b.shown AND p.uid = ANY($4::bigint[]) AND p.user_id = $1
JOIN mail.messages m ON m.id = p.message_id AND m.user_id = $1
WHERE b.id = $2 AND b.shown_validity = $3 AND b.user_id = $1 AND m.blob = ANY($5::text[])

-- name: forget
-- With its files, whose blobs the eraser looks after.
DELETE FROM drafts WHERE user_id = $1 AND id = $2

-- name: files
SELECT filename, mime, inline, content_id, blob FROM uploads
WHERE user_id = $1 AND draft_id = $2 AND blob IS NOT NULL ORDER BY created_at, id

-- name: sender
-- Its identity, or the default one.
SELECT name, email::text AS email, reply_to FROM identities
WHERE user_id = $1 AND account_id = $2 ORDER BY id IS NOT DISTINCT FROM $3 DESC, is_default DESC LIMIT 1
