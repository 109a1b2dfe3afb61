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

-- name: strangers
-- Messages that came to where the copies of drafts ($2: of this one, null: of all) are and that nobody here put there: with the
-- draft's Message-ID, or under another one with its subject after the copy has gone. Not while copies are made anew, and not
-- where a server shows under labels what it numbers elsewhere. `free`: the copy has gone since, which nobody has written over
-- here; `lasting`: not for a moment only, while another program replaces one by the other.
SELECT d.id AS draft_id, m.id AS message_id, p.uid, d.edition,
    coalesce(lower(d.message_id_header) = lower('<' || m.message_id || '>'), false) AS same,
    p.uid > d.mirror_uid AND NOT EXISTS (SELECT FROM mail.placements c
        WHERE c.mailbox_id = b.id AND c.generation = b.shown AND c.uid = d.mirror_uid AND c.user_id = $1) AS free,
    m.internal_date < now() - $3::interval AS lasting
FROM open_drafts d
JOIN mail.mailboxes b ON b.id = d.mirror_mailbox_id AND b.shown_validity = d.mirror_uidvalidity AND b.user_id = $1
JOIN mail.placements p ON p.mailbox_id = b.id AND p.place = b.id AND p.generation = b.shown AND p.uid <> d.mirror_uid AND p.user_id = $1
JOIN mail.messages m ON m.id = p.message_id AND m.user_id = $1
WHERE d.user_id = $1 AND ($2::uuid IS NULL OR d.id = $2) AND d.mirrored_edition = d.edition
    AND (lower(d.message_id_header) = lower('<' || m.message_id || '>') OR d.subject <> '' AND d.subject = m.subject)
    AND NOT EXISTS (SELECT FROM mail.mailboxes a
        WHERE a.account_id = b.account_id AND a.special_use = 'all' AND a.shown_validity = b.shown_validity AND a.user_id = $1)
    AND NOT EXISTS (SELECT FROM drafts o WHERE o.user_id = $1 AND (o.continued_id = m.id OR m.blob = ANY(o.copies)
        OR (o.mirror_mailbox_id = b.id AND o.mirror_uidvalidity = b.shown_validity AND o.mirror_uid = p.uid)
        OR (o.id <> d.id AND lower(o.message_id_header) = lower('<' || m.message_id || '>'))))
ORDER BY p.uid

-- name: absent
-- Drafts ($2: this one, null: all) whose copy is not where it was put, though they are as it was: the mailbox is whole, numbered as
-- then and for drafts still. Not what is being sent or waits for a file, and not where a server shows under labels what it
-- numbers elsewhere. It may only not have been seen yet.
SELECT d.id AS draft_id, d.account_id, b.id AS mailbox_id, b.shown AS generation, d.mirror_uidvalidity AS uidvalidity,
    d.mirror_uid AS uid, d.edition, d.copies[cardinality(d.copies)] AS blob, d.continued_id
FROM open_drafts d
JOIN mail.mailboxes b ON b.id = d.mirror_mailbox_id AND b.account_id = d.account_id AND b.special_use = 'drafts' AND b.selectable
    AND b.shown_validity = d.mirror_uidvalidity AND b.staged IS NULL AND b.user_id = $1
JOIN accounts_state.accounts s ON s.account_id = d.account_id AND s.state = 'live' AND s.user_id = $1
WHERE d.user_id = $1 AND ($2::uuid IS NULL OR d.id = $2) AND d.mirrored_edition = d.edition AND d.outbox_id IS NULL AND d.copies <> '{}'
    AND NOT EXISTS (SELECT FROM mail.placements c
        WHERE c.mailbox_id = b.id AND c.generation = b.shown AND c.uid = d.mirror_uid AND c.user_id = $1)
    AND NOT EXISTS (SELECT FROM uploads f WHERE f.draft_id = d.id AND f.blob IS NULL AND f.user_id = $1)
    AND NOT EXISTS (SELECT FROM mail.mailboxes a
        WHERE a.account_id = b.account_id AND a.special_use = 'all' AND a.shown_validity = b.shown_validity AND a.user_id = $1)

-- name: thrown_away
-- Whether the last copy of draft $2 was seen, among the messages $3 or those of the conversation that its Message-ID ($4) is in,
-- and lies nowhere but in Trash, with no request for it waiting; and no earlier copy is among the drafts.
WITH draft AS MATERIALIZED (SELECT copies, mirror_mailbox_id AS mailbox_id FROM open_drafts WHERE user_id = $1 AND id = $2),
near AS MATERIALIZED (
    SELECT unnest($3::uuid[]) AS id
    UNION SELECT m.id FROM mail.thread_refs r JOIN mail.messages m ON m.thread_id = r.thread_id AND m.user_id = $1
    WHERE r.ref = $4 AND r.user_id = $1),
last AS MATERIALIZED (
    SELECT m.id FROM draft d CROSS JOIN near JOIN mail.messages m ON m.id = near.id AND m.user_id = $1
    WHERE m.blob = d.copies[cardinality(d.copies)])
SELECT EXISTS (SELECT FROM last)
    AND NOT EXISTS (SELECT FROM last JOIN mail.pending q ON q.message_id = last.id AND q.user_id = $1)
    AND NOT EXISTS (SELECT FROM last JOIN mail.placements p ON p.message_id = last.id AND p.user_id = $1
        JOIN mail.mailboxes b ON b.id = p.mailbox_id AND b.user_id = $1 WHERE b.special_use IS DISTINCT FROM 'trash')
    AND NOT EXISTS (SELECT FROM draft d JOIN mail.placements p ON p.mailbox_id = d.mailbox_id AND p.user_id = $1
        JOIN mail.messages m ON m.id = p.message_id AND m.user_id = $1 WHERE m.blob = ANY(d.copies))
