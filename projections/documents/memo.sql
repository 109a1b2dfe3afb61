-- name: put
-- Documents of one user; the same blob twice is the same document.
INSERT INTO documents.memo (user_id, blob, parser, envelope, body_text)
SELECT $1, blob, $2, envelope, body_text
FROM unnest($3::text[], $4::bytea[], $5::text[]) AS new (blob, envelope, body_text)
ON CONFLICT DO NOTHING

-- name: envelopes
SELECT blob, envelope, '' AS body_text FROM documents.memo
WHERE user_id = $1 AND parser = $2 AND blob = ANY($3)

-- name: texts
SELECT blob, envelope, body_text FROM documents.memo
WHERE user_id = $1 AND parser = $2 AND blob = ANY($3)

-- name: delete
-- What an erasure leaves no placement for.
DELETE FROM documents.memo WHERE user_id = $1 AND blob = ANY($2)

