-- name: newest
SELECT id, account_id, draft_id, revision, due, state, attempts, refused, code, copy IS NOT NULL AS filed, queued_at, settled_at,
    sequence
FROM sending.outbox
WHERE user_id = $1 ORDER BY queued_at DESC, id DESC LIMIT $2

-- name: older
-- Those that follow this one.
SELECT id, account_id, draft_id, revision, due, state, attempts, refused, code, copy IS NOT NULL AS filed, queued_at, settled_at,
    sequence
FROM sending.outbox
WHERE user_id = $1 AND (queued_at, id) < ($3, $4) ORDER BY queued_at DESC, id DESC LIMIT $2

-- name: some
SELECT id, account_id, draft_id, revision, due, state, attempts, refused, code, copy IS NOT NULL AS filed, queued_at, settled_at,
    sequence
FROM sending.outbox WHERE id = ANY($2::uuid[]) AND user_id = $1

-- name: of_drafts
-- The last send of each of these drafts.
SELECT DISTINCT ON (draft_id) id, account_id, draft_id, revision, due, state, attempts, refused, code,
    copy IS NOT NULL AS filed, queued_at, settled_at, sequence
FROM sending.outbox WHERE draft_id = ANY($2::uuid[]) AND user_id = $1 ORDER BY draft_id, queued_at DESC, id
