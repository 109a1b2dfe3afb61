-- name: refused
-- Placeholders of messages that the server did not give.
SELECT uid, message_id FROM sync_placements
WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 AND unreadable = $4 ORDER BY uid
