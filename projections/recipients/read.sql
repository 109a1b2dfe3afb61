-- name: how_common
-- How many words begin so ($2, up to $3), as far as it is of interest.
SELECT count(*) FROM (SELECT FROM recipients.words WHERE user_id = $1 AND word >= $2 AND word < $3 LIMIT $4) w

-- name: among_few
-- Of those whom a word finds that begins so, who fit all patterns.
SELECT k.email, k.name
FROM (SELECT DISTINCT email FROM recipients.words WHERE user_id = $1 AND word >= $2 AND word < $3) f
JOIN recipients.known_recipients k ON k.email = f.email AND k.user_id = $1
WHERE k.found_by LIKE ALL ($4::text[])
ORDER BY k.rank DESC, k.email LIMIT $5

-- name: among_all
-- From the likeliest on, until enough fit all patterns.
SELECT email, name FROM recipients.known_recipients WHERE user_id = $1 AND found_by LIKE ALL ($2::text[])
ORDER BY rank DESC, email LIMIT $3
