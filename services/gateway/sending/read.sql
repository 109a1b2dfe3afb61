-- name: threads
-- The conversations of these messages.
SELECT id, thread_id FROM mail.messages WHERE user_id = $1 AND id = ANY($2::uuid[])
