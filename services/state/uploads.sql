-- name: hold
-- What the eraser takes alone while it decides (services.admin.erasure).
SELECT pg_advisory_xact_lock_shared(hashtextextended('blobs of ' || $1::uuid, 0))

-- name: uploads
SELECT id, draft_id, filename, mime, size, received, inline, content_id, blob FROM uploads
WHERE user_id = $1 AND draft_id = $2 ORDER BY created_at, id

-- name: upload
SELECT id, draft_id, filename, mime, size, received, inline, content_id, blob FROM uploads
WHERE user_id = $1 AND draft_id = $2 AND id = $3 FOR UPDATE

-- name: begin
INSERT INTO uploads (user_id, draft_id, filename, mime, size, inline, content_id) VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING id, draft_id, filename, mime, size, received, inline, content_id, blob

-- name: carry
-- A moment apart, so that they keep their order.
INSERT INTO uploads (user_id, draft_id, created_at, filename, mime, size, received, inline, content_id, blob)
VALUES ($1, $2, now() + $3::int * interval '1 microsecond', $4, $5, $6, $6, $7, $8, $9)

-- name: keep_piece
INSERT INTO upload_pieces (user_id, upload_id, start, bytes) VALUES ($1, $2, $3, $4)

-- name: receive
UPDATE uploads SET received = received + $3, touched_at = now() WHERE user_id = $1 AND id = $2
RETURNING id, draft_id, filename, mime, size, received, inline, content_id, blob

-- name: piece
SELECT bytes FROM upload_pieces WHERE user_id = $1 AND upload_id = $2 AND start = $3

-- name: forget_pieces
DELETE FROM upload_pieces WHERE user_id = $1 AND upload_id = $2

-- name: complete
UPDATE uploads SET blob = $3, mime = $4 WHERE user_id = $1 AND id = $2
RETURNING id, draft_id, filename, mime, size, received, inline, content_id, blob

-- name: remove
DELETE FROM uploads WHERE user_id = $1 AND draft_id = $2 AND id = $3 RETURNING id
