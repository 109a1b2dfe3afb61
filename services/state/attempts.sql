-- name: attempt
-- One statement, so that a hundred attempts at once are counted as a hundred.
INSERT INTO attempts AS a (key, count, opened_at) VALUES ($1, 1, now())
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN a.opened_at <= now() - $2::interval THEN 1 ELSE a.count + 1 END,
  opened_at = CASE WHEN a.opened_at <= now() - $2::interval THEN now() ELSE a.opened_at END
RETURNING count, extract(epoch FROM opened_at + $2::interval - now())::float8 AS seconds_left

-- name: take_back
UPDATE attempts SET count = greatest(count - 1, 0) WHERE key = $1

-- name: forget_attempts
DELETE FROM attempts WHERE key = $1 OR opened_at <= now() - $2::interval
