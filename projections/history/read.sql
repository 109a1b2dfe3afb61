-- name: newest
SELECT id FROM history.requests WHERE user_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3

-- name: of_thread
-- What was asked of its messages, newest first.
SELECT id FROM history.requests WHERE user_id = $1 AND id IN (
    SELECT t.request_id FROM mail.messages m JOIN history.touched t ON t.message_id = m.id AND t.user_id = $1
    WHERE m.thread_id = $2 AND m.user_id = $1)
ORDER BY sequence DESC LIMIT $3

-- name: entries
-- These requests, newest first. What a mail is about is that of the newest of the messages.
SELECT r.id, r.account_id, r.sequence, r.at, r.by, r.undoes, r.kind, r.add, r.remove, r.source, r.target, r.asked, r.state,
    r.code, r.settled_at, s.path AS source_path, g.path AS target_path, u.id AS undone_by, m.thread_id, m.subject,
    (SELECT count(*) FROM history.touched t WHERE t.request_id = r.id AND t.user_id = $1 AND t.done)::int AS done
FROM history.requests r
LEFT JOIN mail.mailboxes s ON s.id = r.source AND s.user_id = $1
LEFT JOIN mail.mailboxes g ON g.id = r.target AND g.user_id = $1
LEFT JOIN LATERAL (SELECT id FROM history.requests WHERE undoes = r.id AND user_id = $1 AND state IN ('pending', 'applied')
    ORDER BY sequence LIMIT 1) u ON true
LEFT JOIN LATERAL (SELECT m.thread_id, m.subject
    FROM history.touched t JOIN mail.messages m ON m.id = t.message_id AND m.user_id = $1
    WHERE t.request_id = r.id AND t.user_id = $1 ORDER BY m.sent_at DESC, m.id LIMIT 1) m ON true
WHERE r.id = ANY($2::uuid[]) AND r.user_id = $1 ORDER BY r.sequence DESC

-- name: touched
SELECT message_id, sources, done FROM history.touched WHERE request_id = $2 AND user_id = $1 ORDER BY message_id

-- name: attempts
-- How often somebody has tried to take a request back: with how many requests.
SELECT count(*) FROM history.requests WHERE undoes = $2 AND user_id = $1
