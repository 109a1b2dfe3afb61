-- name: claim
SELECT user_id, id FROM claim_bulk_jobs($1, $2::interval, $3)

-- name: forget_old
DELETE FROM bulk_jobs WHERE user_id = $1 AND settled_at < now() - $2::interval

-- name: one_at_a_time
-- Two that begin at once count each other.
SELECT pg_advisory_xact_lock(hashtextextended('bulk:' || $1::uuid, 0))

-- name: open_jobs
SELECT count(*) FROM bulk_jobs WHERE user_id = $1 AND settled_at IS NULL

-- name: add_job
INSERT INTO bulk_jobs (user_id, id, key, asked, action, undoes, settled_at)
VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 THEN now() END)

-- name: add_chunk
INSERT INTO bulk_chunks (user_id, job_id, n, account_id, request_id, request, messages)
VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7)

-- name: of_key
SELECT id, asked FROM bulk_jobs WHERE user_id = $1 AND key = $2

-- name: undoing
-- What is taking a job back, or has.
SELECT id FROM bulk_jobs WHERE user_id = $1 AND undoes = $2 AND settled_at IS NULL

-- name: jobs
-- $2: this one, or the newest.
SELECT j.id, j.action, j.undoes, j.cancelled, j.created_at, j.settled_at, coalesce(c.total, 0)::int AS total,
    coalesce(c.asked, 0)::int AS asked, coalesce(c.done, 0)::int AS done, coalesce(c.refused, 0)::int AS refused,
    coalesce(c.code, '') AS code
FROM bulk_jobs j LEFT JOIN LATERAL (
    SELECT sum(messages) AS total, sum(messages) FILTER (WHERE position IS NOT NULL) AS asked, sum(done) AS done,
        sum(messages - done) FILTER (WHERE settled_at IS NOT NULL) AS refused,
        (array_agg(code ORDER BY n) FILTER (WHERE code <> ''))[1] AS code
    FROM bulk_chunks WHERE job_id = j.id AND user_id = $1) c ON true
WHERE j.user_id = $1 AND ($2::uuid IS NULL OR j.id = $2) ORDER BY j.created_at DESC, j.id LIMIT $3

-- name: cancel
UPDATE bulk_jobs SET cancelled = true WHERE user_id = $1 AND id = $2 AND settled_at IS NULL RETURNING id

-- name: requests
SELECT request_id FROM bulk_chunks WHERE user_id = $1 AND job_id = $2 AND done > 0 ORDER BY n

-- name: lock
SELECT cancelled FROM bulk_jobs WHERE user_id = $1 AND id = $2 AND settled_at IS NULL FOR UPDATE

-- name: open_chunks
SELECT n, account_id, request_id, messages, begun_at, position FROM bulk_chunks
WHERE user_id = $1 AND job_id = $2 AND settled_at IS NULL ORDER BY n

-- name: begin_chunk
UPDATE bulk_chunks SET begun_at = coalesce(begun_at, now()) WHERE user_id = $1 AND job_id = $2 AND n = $3
RETURNING request::text AS request, begun_at

-- name: chunk_asked
UPDATE bulk_chunks SET position = $4 WHERE user_id = $1 AND job_id = $2 AND n = $3 AND position IS NULL

-- name: settle_chunk
UPDATE bulk_chunks SET settled_at = now(), done = $4, code = $5
WHERE user_id = $1 AND job_id = $2 AND n = $3 AND settled_at IS NULL

-- name: settle_rest
-- What was never begun is not begun any more.
UPDATE bulk_chunks SET settled_at = now(), code = $4
WHERE user_id = $1 AND job_id = $2 AND account_id = $3 AND settled_at IS NULL AND begun_at IS NULL

-- name: settle_account
-- Nobody will ever say what became of it.
UPDATE bulk_chunks SET settled_at = now(), code = $4
WHERE user_id = $1 AND job_id = $2 AND account_id = $3 AND settled_at IS NULL

-- name: settle_job
UPDATE bulk_jobs SET settled_at = now() WHERE user_id = $1 AND id = $2 AND settled_at IS NULL AND NOT EXISTS (
    SELECT FROM bulk_chunks WHERE user_id = $1 AND job_id = $2 AND settled_at IS NULL
        AND (begun_at IS NOT NULL OR NOT bulk_jobs.cancelled))
