-- name: in_drafts
-- The newest messages of mailboxes for drafts. What was sent is none any more, although sync may not have seen it go.
SELECT m.id, m.thread_id, m.account_id, m.message_id, m.subject, m.snippet, m.internal_date, m.blob
FROM mail.mailboxes b
JOIN mail.placements p ON p.mailbox_id = b.id AND p.place = b.id AND p.user_id = $1
JOIN mail.messages m ON m.id = p.message_id AND m.user_id = $1
WHERE b.user_id = $1 AND b.special_use = 'drafts' AND NOT EXISTS (
    SELECT FROM sends s JOIN sending.outbox o ON o.id = s.outbox_id AND o.user_id = $1 AND o.state = 'delivered'
    WHERE s.user_id = $1 AND s.message_id_header = '<' || m.message_id || '>')
ORDER BY m.internal_date DESC, m.id DESC LIMIT $2

-- name: thread_of_copy
-- The conversation of a draft's copy. $2: its Message-ID as documents have it.
SELECT m.thread_id
FROM mail.mailboxes b
JOIN mail.placements p ON p.mailbox_id = b.id AND p.place = b.id AND p.user_id = $1
JOIN mail.messages m ON m.id = p.message_id AND m.user_id = $1
WHERE b.user_id = $1 AND b.special_use = 'drafts' AND m.message_id = $2 LIMIT 1

-- name: threads
SELECT id, thread_id FROM mail.messages WHERE user_id = $1 AND id = ANY($2::uuid[])
