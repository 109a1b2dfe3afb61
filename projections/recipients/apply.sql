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
-- A name is the one seen last; an empty one tells nothing.
INSERT INTO known_recipients (user_id, email, name, weight, last_used_at)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::timestamptz[])
ON CONFLICT (user_id, email) DO UPDATE SET
    name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE known_recipients.name END,
    weight = known_recipients.weight + excluded.weight,
    last_used_at = greatest(known_recipients.last_used_at, excluded.last_used_at)
