-- name: newest
-- `$2`: only what waits for the server or for its owner.
SELECT id, account_id, draft_id, revision, due, state, attempts, refused, code, copy IS NOT NULL AS filed, queued_at, settled_at,
    sequence
FROM sending.outbox
WHERE user_id = $1 AND (NOT $2 OR state IN ('queued', 'attempted', 'failed', 'unconfirmed'))
ORDER BY queued_at DESC, id LIMIT $3

-- name: one
SELECT id, account_id, draft_id, revision, due, state, attempts, refused, code, copy IS NOT NULL AS filed, queued_at, settled_at,
    sequence
FROM sending.outbox WHERE id = $2 AND user_id = $1

-- name: of_drafts
-- The last send of each of these drafts.
SELECT DISTINCT ON (draft_id) id, account_id, draft_id, revision, due, state, attempts, refused, code,
    copy IS NOT NULL AS filed, queued_at, settled_at, sequence
FROM sending.outbox WHERE draft_id = ANY($2::uuid[]) AND user_id = $1 ORDER BY draft_id, queued_at DESC, id
