-- name: held
-- What is told of these UIDs of the mailbox that labels follow.
SELECT uid, flags, message_id, blob, size, internal_date, evidence, unreadable, email_id, remote_thread
FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 AND uid = ANY($4::bigint[])

-- name: holders
-- Which labels' mailboxes hold any of these UIDs.
SELECT mailbox_id, uid FROM sync_placements
WHERE user_id = $1 AND mailbox_id = ANY($2::uuid[]) AND generation = $3 AND uid = ANY($4::bigint[])

-- name: holders_within
-- The same, of UIDs within ranges.
SELECT p.mailbox_id, p.uid FROM unnest($4::bigint[], $5::bigint[]) AS r (low, high) CROSS JOIN LATERAL (
  SELECT mailbox_id, uid FROM sync_placements WHERE user_id = $1 AND mailbox_id = ANY($2::uuid[]) AND generation = $3
    AND uid BETWEEN r.low AND r.high OFFSET 0) p

-- name: counts
SELECT mailbox_id, count(*) AS held FROM sync_placements
WHERE user_id = $1 AND mailbox_id = ANY($2::uuid[]) AND generation = $3 GROUP BY mailbox_id
