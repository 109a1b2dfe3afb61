-- name: documents
-- Of parser version $2, the documents of the blobs $3; the text only of those in $4.
SELECT blob, envelope, CASE WHEN blob = ANY ($4::text[]) THEN body_text ELSE '' END AS body_text
FROM documents.memo
WHERE user_id = $1 AND parser = $2 AND blob = ANY ($3::text[])
