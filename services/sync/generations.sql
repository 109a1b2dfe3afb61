-- name: every_mailbox
SELECT mailbox_id FROM sync_mailboxes WHERE user_id = $1 AND account_id = $2

-- name: match
-- For each listed message the one known message that it is: by what the server calls it, else by evidence, size and date,
-- of the mailbox before the account. None where there are several, or fewer placements than listed messages like it.
WITH listed AS MATERIALIZED (
  SELECT *, count(*) OVER (PARTITION BY evidence, size, internal_date, email_id) AS twins
  FROM unnest($4::text[], $5::text[], $6::bigint[], $7::timestamptz[]) WITH ORDINALITY
    AS l (email_id, evidence, size, internal_date, n)
), candidates AS (
  SELECT l.n, l.twins, k.*, CASE WHEN k.email_id <> '' AND k.email_id = l.email_id THEN 0 WHEN k.mailbox_id = $3 THEN 1
    ELSE 2 END AS rank
  FROM listed l CROSS JOIN LATERAL (
    SELECT * FROM sync_placements WHERE account_id = $2 AND user_id = $1 AND email_id <> '' AND email_id = l.email_id
      AND unreadable = ''
    UNION ALL
    SELECT * FROM sync_placements WHERE account_id = $2 AND user_id = $1 AND l.evidence <> '' AND evidence = l.evidence
      AND size = l.size AND internal_date = l.internal_date AND (email_id = '' OR l.email_id = '') AND unreadable = ''
    OFFSET 0) k
), nearest AS (
  SELECT *, min(rank) OVER (PARTITION BY n) AS best FROM candidates
)
SELECT n::int AS n, (array_agg(message_id))[1] AS message_id, (array_agg(blob ORDER BY blob, size))[1] AS blob,
  (array_agg(size ORDER BY blob, size))[1] AS size, (array_agg(evidence ORDER BY blob, size))[1] AS evidence,
  max(email_id) AS email_id, max(remote_thread) AS remote_thread
FROM nearest WHERE rank = best GROUP BY n
HAVING count(DISTINCT message_id) = 1 AND (max(rank) = 0 OR count(*) >= max(twins))
