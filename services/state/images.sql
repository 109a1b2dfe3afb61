-- name: forget_grants
DELETE FROM image_grants WHERE user_id = $1 AND expires_at <= now()

-- name: allow_once
INSERT INTO image_grants (user_id, message_id, expires_at) VALUES ($1, $2, now() + $3)
ON CONFLICT (user_id, message_id) DO UPDATE SET expires_at = excluded.expires_at

-- name: allow_sender
INSERT INTO image_senders (user_id, sender) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: allowed
SELECT asked.message_id
FROM unnest($2::uuid[], $3::text[]) asked (message_id, sender)
WHERE (asked.sender <> ''
       AND EXISTS (SELECT FROM image_senders s WHERE s.user_id = $1 AND s.sender = asked.sender::citext))
   OR EXISTS (SELECT FROM image_grants g
              WHERE g.user_id = $1 AND g.message_id = asked.message_id AND g.expires_at > now())

-- name: list_senders
SELECT sender::text FROM image_senders WHERE user_id = $1 ORDER BY sender

-- name: forbid_sender
DELETE FROM image_senders WHERE user_id = $1 AND sender = $2 RETURNING sender
