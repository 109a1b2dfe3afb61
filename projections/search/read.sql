-- The thread of a match, and whether it is shown, are looked up for each: as joins, the planner begins them with all messages
-- or placements of a user whom it has no statistics of.

-- name: among_newest
-- Threads with matches among the newest messages before a point, newest match first. $5: how many messages to look at, $6: for how
-- many matches.
SELECT thread_id, max(date) AS at
FROM (
    SELECT (SELECT thread_id FROM mail.messages WHERE id = f.message_id AND user_id = $1), f.date
    FROM search.matches_among_newest($1, $2::text::tsquery, $3, $4, $5, $6) f
    WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
        WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)) matches
WHERE thread_id IS NOT NULL
GROUP BY thread_id ORDER BY at DESC, thread_id DESC

-- name: everywhere
-- All threads with matches, newest match first.
SELECT thread_id, max(date) AS at
FROM (
    SELECT (SELECT thread_id FROM mail.messages WHERE id = f.message_id AND user_id = $1), f.date
    FROM search.matches($1, $2::text::tsquery, $3::text::tsquery) f
    WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
        WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)) matches
WHERE thread_id IS NOT NULL
GROUP BY thread_id ORDER BY at DESC, thread_id DESC

-- name: newer_matches
-- Which of these threads have a match after a time: they stood on an earlier page.
SELECT DISTINCT thread_id
FROM (
    SELECT (SELECT thread_id FROM mail.messages WHERE id = f.message_id AND user_id = $1)
    FROM search.matches_of($1, $2::text::tsquery, ARRAY(
        SELECT id FROM mail.messages WHERE thread_id = ANY($3::uuid[]) AND user_id = $1 AND sent_at > $4)) f
    WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
        WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)) matches
WHERE thread_id IS NOT NULL

-- name: how_common
-- How many of the newest messages match, as far as it is of interest.
SELECT count(*) FROM search.matches_among_newest($1, $2::text::tsquery, $3, $4, $5, $6)
