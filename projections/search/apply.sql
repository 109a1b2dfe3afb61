-- name: known
SELECT message_id FROM docs WHERE message_id = ANY($2::uuid[]) AND user_id = $1

-- name: index
INSERT INTO docs (user_id, message_id, account_id, date, tsv)
SELECT $1, message_id, account_id, date, tsv
FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::tsvector[]) AS d (message_id, account_id, date, tsv)
ON CONFLICT (message_id) DO NOTHING

-- name: reindex
UPDATE docs SET tsv = $3::tsvector WHERE message_id = $2 AND user_id = $1

-- name: remove_account
DELETE FROM docs WHERE user_id = $1 AND account_id = $2
