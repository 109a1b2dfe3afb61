-- Whether a match is shown is looked up for each: as EXISTS it would be a join, which the planner begins with all placements
-- of a user whom it has no statistics of.

-- name: among_newest
-- Threads with matches among the newest messages before a point, newest match first. $5: how many messages to look at, $6: for how
-- many matches.
SELECT m.thread_id, max(f.date) AS at
FROM search.matches_among_newest($1, $2::text::tsquery, $3, $4, $5, $6) f
JOIN mail.messages m ON m.id = f.message_id AND m.user_id = $1
WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
    WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)
GROUP BY m.thread_id ORDER BY at DESC, m.thread_id DESC

-- name: everywhere
-- All threads with matches, newest match first.
SELECT m.thread_id, max(f.date) AS at
FROM search.matches($1, $2::text::tsquery, $3::text::tsquery) f
JOIN mail.messages m ON m.id = f.message_id AND m.user_id = $1
WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
    WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)
GROUP BY m.thread_id ORDER BY at DESC, m.thread_id DESC

-- name: newer_matches
-- Which of these threads have a match after a time: they stood on an earlier page.
SELECT DISTINCT m.thread_id
FROM search.matches_of($1, $2::text::tsquery, ARRAY(
    SELECT id FROM mail.messages WHERE thread_id = ANY($3::uuid[]) AND user_id = $1 AND sent_at > $4)) f
JOIN mail.messages m ON m.id = f.message_id AND m.user_id = $1
WHERE (SELECT true FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1 AND NOT b.discarded
    WHERE p.message_id = f.message_id AND p.user_id = $1 LIMIT 1)

-- name: how_common
-- How many of the newest messages match, as far as it is of interest.
SELECT count(*) FROM search.matches_among_newest($1, $2::text::tsquery, $3, $4, $5, $6)
