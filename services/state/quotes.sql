-- name: keep
INSERT INTO draft_quotes (draft_id, user_id, account_id, blob, html, text, images)
VALUES ($2, $1, $3, $4, $5, $6, $7::jsonb) ON CONFLICT DO NOTHING

-- name: is_kept
SELECT EXISTS (SELECT FROM draft_quotes WHERE user_id = $1 AND draft_id = $2)

-- name: of_draft
-- Where the original is gone by now, nobody sees it below the draft either.
SELECT q.blob, q.html, q.text, q.images::text AS images FROM draft_quotes q JOIN drafts d ON d.id = q.draft_id AND d.user_id = $1
WHERE q.user_id = $1 AND q.draft_id = $2 AND d.quote = 'full' AND EXISTS (
    SELECT FROM mail.placements p WHERE p.message_id = d.source_message_id AND p.user_id = $1 AND p.place IS NOT NULL)
