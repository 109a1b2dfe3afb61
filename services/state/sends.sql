-- name: put
-- Once for each revision: a repetition finds what is there.
INSERT INTO sends (user_id, outbox_id, revision, draft_id, account_id, raw, size, message_id_header, envelope_from, envelope_to,
    source_message_id, kind, subject, due)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12, $13, $14)
ON CONFLICT DO NOTHING

-- name: settle
UPDATE sends SET settled = true WHERE user_id = $1 AND outbox_id = $2 AND revision = $3

-- name: withdraw
-- The fact that would have named it is not in the log, and never will be.
DELETE FROM sends WHERE user_id = $1 AND outbox_id = $2 AND revision = $3 AND NOT settled

-- name: unsettled
SELECT user_id, outbox_id, revision FROM unsettled_sends($1)

-- name: content
SELECT outbox_id, revision, draft_id, account_id, raw, size, message_id_header, envelope_from, envelope_to::text AS envelope_to,
    source_message_id, kind, subject, due
FROM sends WHERE user_id = $1 AND outbox_id = $2 AND revision = $3

-- name: contents
-- Of each send what it says last.
SELECT DISTINCT ON (outbox_id) outbox_id, revision, draft_id, account_id, raw, size, message_id_header, envelope_from,
    envelope_to::text AS envelope_to, source_message_id, kind, subject, due
FROM sends WHERE user_id = $1 AND outbox_id = ANY($2::uuid[]) ORDER BY outbox_id, revision DESC

-- name: refused
SELECT outbox_id, email, code, text FROM send_refusals WHERE user_id = $1 AND outbox_id = ANY($2::uuid[])
ORDER BY outbox_id, email

-- name: words
SELECT outbox_id, text FROM send_words WHERE user_id = $1 AND outbox_id = ANY($2::uuid[])

-- name: refuse
INSERT INTO send_refusals (user_id, account_id, outbox_id, email, code, text)
SELECT $1, $2, $3, r.email, r.code, r.text FROM unnest($4::text[], $5::int[], $6::text[]) AS r (email, code, text)
WHERE EXISTS (SELECT FROM accounts a WHERE a.user_id = $1 AND a.id = $2)
ON CONFLICT (user_id, outbox_id, email) DO UPDATE SET code = excluded.code, text = excluded.text

-- name: forget_refusals
DELETE FROM send_refusals WHERE user_id = $1 AND outbox_id = $2

-- name: say
INSERT INTO send_words (user_id, account_id, outbox_id, text, attempted)
SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT FROM accounts a WHERE a.user_id = $1 AND a.id = $2)
ON CONFLICT (user_id, outbox_id) DO UPDATE SET text = excluded.text, attempted = excluded.attempted

-- name: put_off
SELECT attempted FROM send_words WHERE user_id = $1 AND outbox_id = $2

-- name: forget_ended
-- A function of the owner's, since it looks across users.
SELECT forget_ended_sends($1)
