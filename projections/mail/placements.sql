-- name: of_messages
-- Where these messages are shown.
SELECT p.message_id, p.account_id, p.place, b.special_use, coalesce(p.wanted, p.flags) AS flags, false AS listed
FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1
WHERE p.message_id = ANY($2::uuid[]) AND p.user_id = $1

-- name: of_threads
-- Where the messages of these conversations are shown: of what lies in Trash and Junk only what stands in the list $3, or all
-- when there is nothing else.
WITH placed AS (
    SELECT m.thread_id, p.message_id, p.account_id, p.place, b.special_use, coalesce(p.wanted, p.flags) AS flags,
        coalesce($3::uuid = ANY(b.scopes), false) AS listed,
        bool_and(b.discarded) OVER (PARTITION BY m.thread_id, m.id) AS discarded,
        bool_or(coalesce($3::uuid = ANY(b.scopes), false)) OVER (PARTITION BY m.thread_id, m.id) AS message_listed
    FROM mail.messages m
    JOIN mail.placements p ON p.message_id = m.id AND p.user_id = $1
    JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1
    WHERE m.thread_id = ANY($2::uuid[]) AND m.user_id = $1
)
SELECT message_id, account_id, place, special_use, flags, listed FROM placed p
WHERE NOT discarded OR message_listed OR NOT EXISTS (SELECT FROM placed o WHERE o.thread_id = p.thread_id AND NOT o.discarded)

-- name: threads_in
-- All conversations of a list.
SELECT thread_id FROM mail.thread_scopes WHERE scope_id = $2 AND user_id = $1 ORDER BY last_message_at DESC, thread_id DESC LIMIT $3

-- name: targets
-- Mailboxes that can hold mail. `labels`: its server files a mail once, in the mailbox for all mail, and every other shows it
-- under the same UIDs.
SELECT b.id, b.account_id, b.path, b.delimiter, b.special_use, coalesce(l.labels, false) AS labels
FROM mail.mailboxes b LEFT JOIN (
    SELECT a.account_id, bool_and(o.shown_validity = a.shown_validity) AS labels
    FROM mail.mailboxes a JOIN mail.mailboxes o ON o.account_id = a.account_id AND o.user_id = $1
    WHERE a.user_id = $1 AND a.special_use = 'all' AND a.shown IS NOT NULL AND o.shown IS NOT NULL AND o.id <> a.id
        AND o.special_use IS DISTINCT FROM 'junk' AND o.special_use IS DISTINCT FROM 'trash'
    GROUP BY a.account_id) l ON l.account_id = b.account_id
WHERE b.user_id = $1 AND b.selectable ORDER BY b.account_id, b.path

-- name: uids
-- The placements that messages have as their server numbers them, for whoever changes mail there. Without a uid: it was moved
-- and sync has not seen it yet.
SELECT p.message_id, p.mailbox_id, p.generation, p.uid, p.flags, b.path, b.special_use,
    CASE WHEN p.generation = b.shown THEN b.shown_validity ELSE b.staged_validity END AS uidvalidity
FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.mailbox_id AND b.user_id = $1
WHERE p.message_id = ANY($2::uuid[]) AND p.account_id = $3 AND p.user_id = $1
    AND (p.generation = b.shown OR (p.generation = b.staged AND (p.uid IS NULL OR p.uid >= b.staged_uidnext)))

-- name: message_ids
-- The Message-ID headers of messages that have one.
SELECT id, message_id FROM mail.messages WHERE id = ANY($2::uuid[]) AND user_id = $1 AND message_id IS NOT NULL
