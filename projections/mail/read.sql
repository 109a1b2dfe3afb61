-- name: newest
-- A page of a list from its top.
SELECT t.id, t.subject, t.snippet, t.participants, t.account_ids, t.message_count, t.unread_count, t.starred,
    t.has_attachments, l.last_message_at,
    (SELECT array_agg(b.id ORDER BY b.id) FROM mail.thread_scopes s JOIN mail.mailboxes b ON b.id = s.scope_id AND b.user_id = $1
        WHERE s.thread_id = t.id AND s.user_id = $1) AS mailbox_ids
FROM (SELECT thread_id, last_message_at FROM mail.thread_scopes WHERE user_id = $1 AND scope_id = $2
      ORDER BY last_message_at DESC, thread_id DESC LIMIT $3) l
JOIN mail.threads t ON t.id = l.thread_id AND t.user_id = $1
ORDER BY l.last_message_at DESC, l.thread_id DESC

-- name: older
-- The page after a cursor.
SELECT t.id, t.subject, t.snippet, t.participants, t.account_ids, t.message_count, t.unread_count, t.starred,
    t.has_attachments, l.last_message_at,
    (SELECT array_agg(b.id ORDER BY b.id) FROM mail.thread_scopes s JOIN mail.mailboxes b ON b.id = s.scope_id AND b.user_id = $1
        WHERE s.thread_id = t.id AND s.user_id = $1) AS mailbox_ids
FROM (SELECT thread_id, last_message_at FROM mail.thread_scopes WHERE user_id = $1 AND scope_id = $2
        AND (last_message_at, thread_id) < ($4, $5)
      ORDER BY last_message_at DESC, thread_id DESC LIMIT $3) l
JOIN mail.threads t ON t.id = l.thread_id AND t.user_id = $1
ORDER BY l.last_message_at DESC, l.thread_id DESC

-- name: deep
-- The page at an offset from the top.
SELECT t.id, t.subject, t.snippet, t.participants, t.account_ids, t.message_count, t.unread_count, t.starred,
    t.has_attachments, l.last_message_at,
    (SELECT array_agg(b.id ORDER BY b.id) FROM mail.thread_scopes s JOIN mail.mailboxes b ON b.id = s.scope_id AND b.user_id = $1
        WHERE s.thread_id = t.id AND s.user_id = $1) AS mailbox_ids
FROM (SELECT thread_id, last_message_at FROM mail.thread_scopes WHERE user_id = $1 AND scope_id = $2
      ORDER BY last_message_at DESC, thread_id DESC LIMIT $3 OFFSET $4) l
JOIN mail.threads t ON t.id = l.thread_id AND t.user_id = $1
ORDER BY l.last_message_at DESC, l.thread_id DESC

-- name: deep_from_the_end
-- The same by an offset from the end: an offset costs what it skips.
SELECT t.id, t.subject, t.snippet, t.participants, t.account_ids, t.message_count, t.unread_count, t.starred,
    t.has_attachments, l.last_message_at,
    (SELECT array_agg(b.id ORDER BY b.id) FROM mail.thread_scopes s JOIN mail.mailboxes b ON b.id = s.scope_id AND b.user_id = $1
        WHERE s.thread_id = t.id AND s.user_id = $1) AS mailbox_ids
FROM (SELECT thread_id, last_message_at FROM mail.thread_scopes WHERE user_id = $1 AND scope_id = $2
      ORDER BY last_message_at, thread_id LIMIT $3 OFFSET $4) l
JOIN mail.threads t ON t.id = l.thread_id AND t.user_id = $1
ORDER BY l.last_message_at DESC, l.thread_id DESC

-- name: total
SELECT threads FROM mail.scopes WHERE user_id = $1 AND scope_id = $2

-- name: threads
-- Lines of these threads, wherever they are listed.
SELECT id, subject, snippet, participants, account_ids, message_count, unread_count, starred, has_attachments, last_message_at,
    (SELECT array_agg(b.id ORDER BY b.id) FROM mail.thread_scopes s JOIN mail.mailboxes b ON b.id = s.scope_id AND b.user_id = $1
        WHERE s.thread_id = threads.id AND s.user_id = $1) AS mailbox_ids
FROM mail.threads WHERE id = ANY($2::uuid[]) AND user_id = $1 AND last_message_at IS NOT NULL

-- name: subject
SELECT subject FROM mail.threads WHERE id = $2 AND user_id = $1 AND last_message_at IS NOT NULL

-- name: conversation
-- The shown messages of a thread, oldest first. Of what lies in Trash and Junk only what stands in the list $3, or all when
-- there is nothing else.
WITH placed AS (
    SELECT m.id, array_agg(DISTINCT p.place ORDER BY p.place) AS mailbox_ids, bool_and(p.unread) AS unread,
        bool_and(b.discarded) AS discarded, bool_or($3::uuid = ANY(b.scopes)) AS listed,
        array_agg(DISTINCT f ORDER BY f) FILTER (WHERE f IS NOT NULL) AS flags
    FROM mail.messages m
    JOIN mail.placements p ON p.message_id = m.id AND p.user_id = $1
    JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1
    LEFT JOIN LATERAL unnest(coalesce(p.wanted, p.flags)) f ON true
    WHERE m.thread_id = $2 AND m.user_id = $1
    GROUP BY m.id
)
SELECT m.id, m.thread_id, m.account_id, p.mailbox_ids, m.blob, m.size, m.message_id, m.subject, m.snippet, m.from_name,
    m.from_email, m.sent_at, m.internal_date, p.unread, p.flags
FROM placed p JOIN mail.messages m ON m.id = p.id AND m.user_id = $1
WHERE NOT p.discarded OR p.listed OR NOT EXISTS (SELECT FROM placed o WHERE NOT o.discarded)
ORDER BY m.sent_at, m.id

-- name: message
SELECT m.id, m.thread_id, m.account_id, p.mailbox_ids, m.blob, m.size, m.message_id, m.subject, m.snippet, m.from_name,
    m.from_email, m.sent_at, m.internal_date, p.unread, p.flags
FROM (SELECT p.message_id AS id, array_agg(DISTINCT p.place ORDER BY p.place) AS mailbox_ids, bool_and(p.unread) AS unread,
          array_agg(DISTINCT f ORDER BY f) FILTER (WHERE f IS NOT NULL) AS flags
      FROM mail.placements p JOIN mail.mailboxes b ON b.id = p.place AND b.user_id = $1
      LEFT JOIN LATERAL unnest(coalesce(p.wanted, p.flags)) f ON true
      WHERE p.message_id = $2 AND p.user_id = $1 GROUP BY p.message_id) p
JOIN mail.messages m ON m.id = p.id AND m.user_id = $1

-- name: attachments
SELECT a.id, a.message_id, a.account_id, m.blob, a.index, a.filename, a.mime, a.size, a.inline, a.content_id, a.start,
    a.length, a.encoding, a.charset
FROM mail.attachments a JOIN mail.messages m ON m.id = a.message_id AND m.user_id = $1
WHERE a.message_id = ANY($2::uuid[]) AND a.user_id = $1 ORDER BY a.message_id, a.index

-- name: attachment
SELECT a.id, a.message_id, a.account_id, m.blob, a.index, a.filename, a.mime, a.size, a.inline, a.content_id, a.start,
    a.length, a.encoding, a.charset
FROM mail.attachments a JOIN mail.messages m ON m.id = a.message_id AND m.user_id = $1 AND m.shown
WHERE a.id = $2 AND a.user_id = $1

-- name: mailboxes
SELECT b.id, b.account_id, b.path, b.delimiter, b.special_use, b.selectable, coalesce(s.unread, 0) AS unread,
    coalesce(s.threads, 0) AS total
FROM mail.mailboxes b LEFT JOIN mail.scopes s ON s.scope_id = b.id AND s.user_id = $1
WHERE b.user_id = $1 ORDER BY b.account_id, b.path
