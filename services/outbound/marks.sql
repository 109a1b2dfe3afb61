-- name: mark
SELECT sequence FROM outbound_marks WHERE partition = $1

-- name: put
INSERT INTO outbound_marks (partition, sequence) VALUES ($1, $2)
ON CONFLICT (partition) DO UPDATE SET sequence = greatest(outbound_marks.sequence, excluded.sequence)

-- name: account_of
-- Where a message of the user's is.
SELECT account_id FROM mail.placements WHERE user_id = $1 AND message_id = $2 LIMIT 1
