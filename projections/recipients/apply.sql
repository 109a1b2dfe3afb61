-- name: find_mailbox
INSERT INTO mailboxes (user_id, id, special_use) VALUES ($1, $2, $3)
ON CONFLICT (id, user_id) DO UPDATE SET special_use = excluded.special_use

-- name: mailboxes
SELECT id, special_use FROM mailboxes WHERE user_id = $1

-- name: count
-- Which of these letters were not counted yet.
INSERT INTO counted (user_id, message_id) SELECT $1, m FROM unnest($2::uuid[]) AS m ON CONFLICT DO NOTHING
RETURNING message_id

-- name: know
-- A name is the one seen last; an empty one tells nothing. Gives who is called otherwise than before.
WITH before AS (SELECT email, name FROM known_recipients WHERE user_id = $1 AND email = ANY($2::text[])),
known AS (
    INSERT INTO known_recipients (user_id, email, name, weight, last_used_at, found_by)
    SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[], $6::text[])
    ON CONFLICT (user_id, email) DO UPDATE SET
        name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE known_recipients.name END,
        found_by = CASE WHEN excluded.name <> '' THEN excluded.found_by ELSE known_recipients.found_by END,
        weight = known_recipients.weight + excluded.weight,
        last_used_at = greatest(known_recipients.last_used_at, excluded.last_used_at)
    RETURNING email, name)
SELECT k.email, b.name IS NULL AS new FROM known k LEFT JOIN before b ON b.email = k.email WHERE b.name IS DISTINCT FROM k.name

-- name: forget_words
DELETE FROM words WHERE user_id = $1 AND email = ANY($2::text[])

-- name: find_by
INSERT INTO words (user_id, email, word) SELECT $1, * FROM unnest($2::text[], $3::text[])
