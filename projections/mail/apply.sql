-- The statements of the fold.
--
-- They run on tables without statistics too (a new user, a rebuild), where Postgres believes that a user has next to nothing
-- and joins by scanning. So what is found by an index is found in a LATERAL subquery, kept apart by OFFSET 0, for each thing
-- asked for; and rows that were found are grouped, never joined to each other. `(user_id = $1) IS TRUE` is the filter that
-- no index serves, where one led by the user would be taken for the better.

-- name: mailboxes
-- All of the user's: a few hundred at most.
SELECT id, account_id, shown, shown_validity, staged, staged_validity, staged_uidnext, special_use
FROM mailboxes WHERE user_id = $1

-- name: known
SELECT id, thread_id FROM messages WHERE id = ANY($2::uuid[]) AND user_id = $1

-- name: refs
-- What is stored of ids that arriving messages are or mention.
SELECT r.ref, r.thread_id, r.claims, t.opened
FROM thread_refs r JOIN threads t ON t.id = r.thread_id AND t.user_id = $1
WHERE r.ref = ANY($2::uuid[]) AND r.user_id = $1

-- name: neighbours
-- Stored messages with the base subject of arriving ones that joining by subject has to weigh: replies that may answer an
-- arriving message rather than what they answer now, and what an arriving reply may answer.
WITH arriving AS MATERIALIZED (
    SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::boolean[]) AS a (id, base, sent_at, answering)
), found AS (
    SELECT m.id FROM arriving a CROSS JOIN LATERAL (
        SELECT id FROM messages WHERE base = a.base AND user_id = $1 AND answering
            AND sent_at BETWEEN a.sent_at AND a.sent_at + interval '7 days'
            AND (answered_at IS NULL OR (answered_at, answers) < (a.sent_at, a.id)) OFFSET 0) m
    UNION
    SELECT m.id FROM (SELECT * FROM arriving WHERE answering) a CROSS JOIN LATERAL (
        SELECT id FROM messages WHERE base = a.base AND user_id = $1
            AND sent_at BETWEEN a.sent_at - interval '7 days' AND a.sent_at OFFSET 0) m
)
SELECT m.id, m.thread_id, m.sent_at, m.base, m.people, m.answering, m.answers, m.answered_at, m.opened
FROM found CROSS JOIN LATERAL (
    SELECT m.*, t.opened FROM messages m JOIN threads t ON t.id = m.thread_id AND t.user_id = $1
    WHERE m.id = found.id AND m.user_id = $1 OFFSET 0) m

-- name: insert_messages
INSERT INTO messages (user_id, id, account_id, thread_id, sequence, sent_at, internal_date, size, blob, message_id, subject,
    snippet, from_name, from_email, has_attachments, keys, base, people, answering, shown)
SELECT $1, id, account_id, thread_id, sequence, sent_at, internal_date, size, blob, message_id, subject,
    snippet, from_name, from_email, has_attachments, keys::uuid[], base, people::bigint[], answering, shown
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::timestamptz[], $7::timestamptz[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[], $16::text[],
    $17::bigint[], $18::text[], $19::boolean[], $20::boolean[])
    AS m (id, account_id, thread_id, sequence, sent_at, internal_date, size, blob, message_id, subject,
    snippet, from_name, from_email, has_attachments, keys, base, people, answering, shown)
ON CONFLICT DO NOTHING

-- name: change_content
-- The columns that are shown; what joined it to its thread stays as it was. A message that the server did not give at first
-- had no date either.
UPDATE messages SET size = $3, blob = $4, message_id = $5, subject = $6, snippet = $7, from_name = $8, from_email = $9,
    has_attachments = $10,
    sent_at = CASE WHEN sent_at = 'epoch' AND $11::timestamptz IS NOT NULL THEN $11 ELSE sent_at END
WHERE id = $2 AND user_id = $1 RETURNING id, account_id, thread_id, shown

-- name: insert_attachments
INSERT INTO attachments (user_id, account_id, message_id, id, index, filename, mime, size, inline, content_id, start, length,
    encoding, charset)
SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::text[], $8::bigint[],
    $9::boolean[], $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::text[])
ON CONFLICT DO NOTHING

-- name: delete_attachments
DELETE FROM attachments WHERE message_id = $2 AND user_id = $1

-- name: put_refs
INSERT INTO thread_refs (user_id, ref, thread_id, claims)
SELECT $1, ref, thread_id, claims::bigint[] FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS r (ref, thread_id, claims)
ON CONFLICT (ref, user_id) DO UPDATE SET thread_id = excluded.thread_id, claims = excluded.claims

-- name: answer
-- What stored replies were found to answer.
UPDATE messages m SET answers = a.answers, answered_at = a.answered_at
FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) AS a (id, answers, answered_at)
WHERE m.id = a.id AND m.user_id = $1

-- name: merge_refs
-- The refs of merged threads, found through their messages. Before merge_messages.
UPDATE thread_refs r SET thread_id = t.kept
FROM (SELECT DISTINCT unnest(m.keys) AS ref, g.kept FROM unnest($2::uuid[], $3::uuid[]) AS g (gone, kept)
      CROSS JOIN LATERAL (SELECT keys FROM messages WHERE thread_id = g.gone AND user_id = $1 OFFSET 0) m) t
WHERE r.ref = t.ref AND r.user_id = $1

-- name: merge_messages
UPDATE messages m SET thread_id = f.kept
FROM (SELECT o.id, g.kept FROM unnest($2::uuid[], $3::uuid[]) AS g (gone, kept)
      CROSS JOIN LATERAL (SELECT id FROM messages WHERE thread_id = g.gone AND user_id = $1 OFFSET 0) o) f
WHERE m.id = f.id AND m.user_id = $1

-- name: merge_threads
DELETE FROM threads WHERE id = ANY($2::uuid[]) AND user_id = $1

-- name: members
SELECT id, sequence, keys, answers FROM messages WHERE thread_id = $2 AND user_id = $1

-- name: regroup_messages
UPDATE messages m SET thread_id = g.thread FROM unnest($2::uuid[], $3::uuid[]) AS g (id, thread)
WHERE m.id = g.id AND m.user_id = $1

-- name: regroup_refs
UPDATE thread_refs r SET thread_id = t.thread
FROM (SELECT DISTINCT unnest(m.keys) AS ref, g.thread
      FROM unnest($2::uuid[], $3::uuid[]) AS g (id, thread) JOIN messages m ON m.id = g.id AND m.user_id = $1) t
WHERE r.ref = t.ref AND r.user_id = $1

-- name: confirm_unnumbered
-- Sync sees what a request or outcome moved here without a uid.
DELETE FROM placements p
WHERE p.mailbox_id = ANY($2::uuid[]) AND p.provisional AND p.uid IS NULL AND p.user_id = $1
    AND EXISTS (SELECT FROM unnest($3::uuid[], $4::uuid[]) AS a (mailbox_id, message_id)
        WHERE a.mailbox_id = p.mailbox_id AND a.message_id = p.message_id)

-- name: place
-- A placement that is known already stays as it is, unless it was provisional; then its flags are those that are newer: by
-- modseq, without it by the outcome that the arrival has seen.
INSERT INTO placements (user_id, account_id, message_id, mailbox_id, generation, uid, flags, place, modseq, applied)
SELECT $1, account_id, message_id, mailbox_id, generation, uid, flags::text[], place, modseq, as_of
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::bigint[], $7::text[], $8::uuid[], $9::bigint[], $10::bigint[])
    AS p (account_id, message_id, mailbox_id, generation, uid, flags, place, modseq, as_of)
ON CONFLICT (mailbox_id, generation, uid) DO UPDATE
    SET provisional = false, modseq = greatest(placements.modseq, excluded.modseq),
        applied = greatest(placements.applied, excluded.applied),
        flags = CASE WHEN CASE WHEN excluded.modseq > 0 THEN excluded.modseq >= placements.modseq
            ELSE excluded.applied >= placements.applied END THEN excluded.flags ELSE placements.flags END
WHERE placements.provisional AND placements.user_id = $1
RETURNING message_id

-- name: flag
-- What sync observed, unless an outcome is newer than the observation; by modseq, without it by the outcome it has seen.
UPDATE placements p SET flags = $6, modseq = greatest(p.modseq, $7), wanted = NULL
WHERE p.mailbox_id = $2 AND p.generation = $3 AND p.user_id = $1 AND p.uid = ANY (ARRAY(
        SELECT o.uid FROM unnest($4::bigint[], $5::bigint[]) AS r (low, high) CROSS JOIN LATERAL (
            SELECT uid FROM placements WHERE mailbox_id = $2 AND generation = $3 AND uid BETWEEN r.low AND r.high
                AND user_id = $1 OFFSET 0) o))
    AND CASE WHEN $7 > 0 THEN p.modseq <= $7 ELSE p.applied <= $8 END AND p.flags IS DISTINCT FROM $6
RETURNING p.message_id

-- name: expunge
DELETE FROM placements p
WHERE p.mailbox_id = $2 AND p.generation = $3 AND p.user_id = $1 AND p.uid = ANY (ARRAY(
        SELECT o.uid FROM unnest($4::bigint[], $5::bigint[]) AS r (low, high) CROSS JOIN LATERAL (
            SELECT uid FROM placements WHERE mailbox_id = $2 AND generation = $3 AND uid BETWEEN r.low AND r.high
                AND user_id = $1 OFFSET 0) o))
RETURNING p.message_id, p.account_id, p.flags, p.place, p.mailbox_id

-- name: keep_moving
-- The source of a requested move is gone before its outcome is known: until then it is shown where it was moved to.
INSERT INTO placements (user_id, account_id, message_id, mailbox_id, generation, flags, place, provisional)
SELECT $1, p.account_id, p.message_id, p.place, b.shown, p.flags::text[], p.place, true
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS p (account_id, message_id, place, flags)
CROSS JOIN LATERAL (SELECT shown FROM mailboxes WHERE id = p.place AND user_id = $1 AND shown IS NOT NULL OFFSET 0) b
CROSS JOIN LATERAL (
    SELECT count(*) AS copies FROM placements WHERE message_id = p.message_id AND mailbox_id = p.place AND user_id = $1) o
WHERE o.copies = 0

-- name: seen_outcomes
-- Sync's listing includes these outcomes, and what they put here is not in it.
DELETE FROM placements p USING unnest($2::uuid[], $3::bigint[]) AS m (mailbox_id, seen)
WHERE p.mailbox_id = m.mailbox_id AND p.provisional AND p.applied BETWEEN 1 AND m.seen AND p.user_id = $1
RETURNING p.message_id

-- name: add_pending
INSERT INTO pending (user_id, account_id, request_id, message_id, sequence, kind, add, remove, source, target)
SELECT $1, $2, $3, m, $5, $6, $7, $8, $9, $10 FROM unnest($4::uuid[]) AS m
ON CONFLICT DO NOTHING

-- name: pending
-- The requests that wait for these messages.
SELECT message_id, request_id, kind, add, remove, source, target FROM pending
WHERE message_id = ANY($2::uuid[]) AND user_id = $1 ORDER BY message_id, sequence, request_id

-- name: pending_to
-- Messages that wait to be moved into, out of or deleted from a mailbox.
SELECT DISTINCT message_id FROM pending WHERE user_id = $1 AND (target = $2 OR source = $2)

-- name: settle
DELETE FROM pending WHERE request_id = $2 AND user_id = $1 RETURNING message_id, kind, add, remove, target

-- name: unsettled_moves
-- A refused move: what stood for it in the target goes.
DELETE FROM placements p WHERE p.message_id = ANY($2::uuid[]) AND p.mailbox_id = $3 AND p.provisional AND p.uid IS NULL
    AND p.applied = 0 AND p.user_id = $1

-- name: number
-- They were moved here without anybody knowing their uids, which whoever changed them there has found.
UPDATE placements p SET uid = n.uid FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::bigint[]) AS n (message_id, mailbox_id, generation, uid)
WHERE p.message_id = n.message_id AND p.mailbox_id = n.mailbox_id AND p.generation = n.generation AND p.provisional
    AND p.uid IS NULL AND p.user_id = $1
    AND NOT EXISTS (SELECT FROM placements o
        WHERE o.mailbox_id = n.mailbox_id AND o.generation = n.generation AND o.uid = n.uid AND o.user_id = $1)

-- name: apply_flags
UPDATE placements p SET flags = n.flags::text[], modseq = greatest(p.modseq, n.modseq), applied = n.applied
FROM unnest($2::uuid[], $3::int[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
    AS n (mailbox_id, generation, uid, flags, modseq, applied)
WHERE p.mailbox_id = n.mailbox_id AND p.generation = n.generation AND p.uid = n.uid AND p.user_id = $1
    AND (n.modseq = 0 OR p.modseq <= n.modseq)

-- name: flags_of
SELECT p.mailbox_id, p.generation, p.uid, p.flags
FROM unnest($2::uuid[], $3::int[], $4::bigint[]) AS n (mailbox_id, generation, uid)
CROSS JOIN LATERAL (SELECT * FROM placements
    WHERE mailbox_id = n.mailbox_id AND generation = n.generation AND uid = n.uid AND user_id = $1 OFFSET 0) p

-- name: apply_removal
DELETE FROM placements p USING unnest($2::uuid[], $3::int[], $4::bigint[]) AS n (mailbox_id, generation, uid)
WHERE p.mailbox_id = n.mailbox_id AND p.generation = n.generation AND p.uid = n.uid AND p.user_id = $1
RETURNING p.mailbox_id, p.generation, p.uid, p.flags

-- name: depart
INSERT INTO departed (user_id, account_id, mailbox_id, generation, uid, applied)
SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::bigint[])
ON CONFLICT DO NOTHING

-- name: departed
SELECT mailbox_id, generation, uid FROM departed WHERE mailbox_id = ANY($2::uuid[]) AND user_id = $1

-- name: looked_since
-- Sync has looked after the outcomes; what it tells from here on is so.
DELETE FROM departed d USING unnest($2::uuid[], $3::bigint[]) AS m (mailbox_id, seen)
WHERE d.mailbox_id = m.mailbox_id AND d.applied <= m.seen AND d.user_id = $1

-- name: apply_move
-- Where the server says that it copied the messages (RFC 4315); without a uid, the place alone.
INSERT INTO placements (user_id, account_id, message_id, mailbox_id, generation, uid, flags, place, modseq, applied, provisional)
SELECT $1, account_id, message_id, mailbox_id, generation, uid, flags::text[], place, modseq, applied, true
FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::bigint[], $7::text[], $8::uuid[], $9::bigint[], $10::bigint[])
    AS m (account_id, message_id, mailbox_id, generation, uid, flags, place, modseq, applied)
ON CONFLICT (mailbox_id, generation, uid) DO NOTHING

-- name: forget_unnumbered
DELETE FROM placements p USING unnest($2::uuid[], $3::uuid[]) AS n (message_id, mailbox_id)
WHERE p.message_id = n.message_id AND p.mailbox_id = n.mailbox_id AND p.provisional AND p.uid IS NULL AND p.user_id = $1
RETURNING p.message_id, p.mailbox_id, p.flags

-- name: placed
SELECT n.message_id, n.mailbox_id FROM unnest($2::uuid[], $3::uuid[]) AS n (message_id, mailbox_id)
WHERE EXISTS (SELECT FROM placements WHERE message_id = n.message_id AND mailbox_id = n.mailbox_id AND user_id = $1)

-- name: show
-- What the server says, before pending requests.
UPDATE placements p SET wanted = NULL, place = (SELECT b.id FROM mailboxes b WHERE b.id = p.mailbox_id AND b.user_id = $1
        AND (p.generation = b.shown OR (p.generation = b.staged AND p.uid >= b.staged_uidnext)))
WHERE p.message_id = ANY($2::uuid[]) AND p.user_id = $1 AND (p.wanted IS NOT NULL OR p.place IS DISTINCT FROM
    (SELECT b.id FROM mailboxes b WHERE b.id = p.mailbox_id AND b.user_id = $1
        AND (p.generation = b.shown OR (p.generation = b.staged AND p.uid >= b.staged_uidnext))))

-- name: placements_of
SELECT message_id, mailbox_id, generation, uid, flags, place FROM placements
WHERE message_id = ANY($2::uuid[]) AND user_id = $1

-- name: want
UPDATE placements p SET wanted = w.wanted::text[], place = w.place
FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::bigint[], $6::text[], $7::uuid[])
    AS w (message_id, mailbox_id, generation, uid, wanted, place)
WHERE p.message_id = w.message_id AND (p.mailbox_id, p.generation, p.uid) IS NOT DISTINCT FROM
    (w.mailbox_id, w.generation, w.uid) AND p.user_id = $1

-- name: surface
-- Which messages are shown now and were not, or the other way round.
UPDATE messages m SET shown = n.shown
FROM (SELECT m.id, m.shown AS before, EXISTS (SELECT FROM placements p
          WHERE p.message_id = m.id AND p.place IS NOT NULL AND p.user_id = $1) AS shown
      FROM messages m WHERE m.id = ANY($2::uuid[]) AND m.user_id = $1) n
WHERE m.id = n.id AND m.user_id = $1 AND coalesce(m.shown, false) <> n.shown
RETURNING m.id, m.account_id, m.thread_id, m.shown, n.before,
    (SELECT min(p.place::text)::uuid FROM placements p WHERE p.message_id = m.id AND p.user_id = $1) AS place

-- name: threads_of
SELECT id, account_id, thread_id, shown FROM messages WHERE id = ANY($2::uuid[]) AND user_id = $1

-- name: recount
-- The rows of threads and of the lists, made again from messages and placements. $3: the scope of starred mail.
WITH letters AS MATERIALIZED (
    SELECT t.id AS thread_id, m.id, m.account_id, m.sequence, m.sent_at, m.subject, m.snippet, m.from_name, m.from_email,
        m.has_attachments, p.unread, p.scopes, p.starred, p.starred AND NOT p.discarded AS in_starred,
        p.scopes IS NOT NULL AND (NOT p.discarded OR bool_and(p.discarded) OVER (PARTITION BY t.id)) AS counts
    FROM unnest($2::uuid[]) AS t (id)
    CROSS JOIN LATERAL (SELECT * FROM messages WHERE thread_id = t.id AND user_id = $1 OFFSET 0) m
    CROSS JOIN LATERAL (
        SELECT bool_and(p.unread) AS unread, bool_or(p.starred) AS starred, bool_and(b.discarded) AS discarded,
            CASE WHEN count(*) > 1 THEN (
                SELECT array_agg(DISTINCT s.scope_id) FROM placements o
                CROSS JOIN LATERAL (SELECT scopes FROM mailboxes WHERE id = o.place AND user_id = $1 OFFSET 0) ob
                CROSS JOIN LATERAL unnest(ob.scopes) AS s (scope_id)
                WHERE o.message_id = m.id AND o.user_id = $1)
            ELSE min(b.scopes) END AS scopes
        FROM (SELECT * FROM placements WHERE message_id = m.id AND place IS NOT NULL AND user_id = $1 OFFSET 0) p
        CROSS JOIN LATERAL (SELECT * FROM mailboxes WHERE id = p.place AND user_id = $1 OFFSET 0) b) p
), counted AS (
    INSERT INTO threads (user_id, id, opened, subject, snippet, participants, account_ids, message_count, unread_count,
        starred, has_attachments, last_message_at)
    SELECT $1, t.thread_id, t.opened, coalesce(t.subjects[1], ''), coalesce(t.snippets[1], ''),
        coalesce((SELECT jsonb_agg(jsonb_build_array(f.name, f.email) ORDER BY f.first) FROM (
            SELECT t.senders[n][1] AS name, t.senders[n][2] AS email, min(n) AS first
            FROM generate_subscripts(t.senders, 1) n GROUP BY 1, 2 ORDER BY 3 LIMIT 20) f), '[]'),
        coalesce(t.account_ids, '{}'),
        t.message_count, t.unread_count, coalesce(t.starred, false), coalesce(t.has_attachments, false), t.last_message_at
    FROM (
        SELECT thread_id, min(sequence) AS opened, (count(*) FILTER (WHERE counts))::int AS message_count,
            (count(*) FILTER (WHERE counts AND unread))::int AS unread_count,
            bool_or(starred) FILTER (WHERE counts) AS starred,
            bool_or(has_attachments) FILTER (WHERE counts) AS has_attachments,
            max(sent_at) FILTER (WHERE counts) AS last_message_at,
            array_agg(DISTINCT account_id ORDER BY account_id) FILTER (WHERE counts) AS account_ids,
            array_agg(subject ORDER BY sent_at, id) FILTER (WHERE counts) AS subjects,
            array_agg(snippet ORDER BY sent_at DESC, id DESC) FILTER (WHERE counts) AS snippets,
            array_agg(ARRAY[from_name, from_email] ORDER BY sent_at, id) FILTER (WHERE counts) AS senders
        FROM letters GROUP BY thread_id) t
    ON CONFLICT (id) DO UPDATE SET opened = excluded.opened, subject = excluded.subject, snippet = excluded.snippet,
        participants = excluded.participants, account_ids = excluded.account_ids,
        message_count = excluded.message_count, unread_count = excluded.unread_count, starred = excluded.starred,
        has_attachments = excluded.has_attachments, last_message_at = excluded.last_message_at
), change AS MATERIALIZED (
    SELECT thread_id, scope_id, max(last_message_at) AS last_message_at, max(message_count) AS message_count,
        max(unread_count) AS unread_count, max(listed) AS listed, max(was_listed) AS was_listed, max(was_unread) AS was_unread
    FROM (
        SELECT l.thread_id, s.scope_id, max(l.sent_at) AS last_message_at, count(*)::int AS message_count,
            (count(*) FILTER (WHERE l.unread))::int AS unread_count, 1 AS listed, 0 AS was_listed, 0 AS was_unread
        FROM letters l
        CROSS JOIN LATERAL unnest(CASE WHEN l.in_starred THEN l.scopes || $3::uuid ELSE l.scopes END) AS s (scope_id)
        GROUP BY l.thread_id, s.scope_id
        UNION ALL
        SELECT o.thread_id, o.scope_id, NULL, 0, 0, 0, 1, (o.unread_count > 0)::int FROM unnest($2::uuid[]) AS t (id)
        CROSS JOIN LATERAL (SELECT * FROM thread_scopes WHERE thread_id = t.id AND (user_id = $1) IS TRUE OFFSET 0) o
    ) both_sides
    GROUP BY thread_id, scope_id
), left_lists AS (
    DELETE FROM thread_scopes t USING change c
    WHERE c.listed = 0 AND t.thread_id = c.thread_id AND t.scope_id = c.scope_id AND (t.user_id = $1) IS TRUE
), entered_lists AS (
    INSERT INTO thread_scopes (user_id, thread_id, scope_id, last_message_at, message_count, unread_count)
    SELECT $1, thread_id, scope_id, last_message_at, message_count, unread_count FROM change
    WHERE listed = 1 AND was_listed = 0
), moved_in_lists AS (
    UPDATE thread_scopes t SET last_message_at = c.last_message_at, message_count = c.message_count,
        unread_count = c.unread_count
    FROM change c
    WHERE c.listed = 1 AND c.was_listed = 1 AND t.thread_id = c.thread_id AND t.scope_id = c.scope_id
        AND (t.user_id = $1) IS TRUE AND (t.last_message_at, t.message_count, t.unread_count)
            IS DISTINCT FROM (c.last_message_at, c.message_count, c.unread_count)
)
INSERT INTO scopes (user_id, scope_id, threads, unread)
SELECT $1, scope_id, sum(listed - was_listed), sum((unread_count > 0)::int - was_unread) FROM change GROUP BY scope_id
HAVING sum(listed - was_listed) <> 0 OR sum((unread_count > 0)::int - was_unread) <> 0
ON CONFLICT (scope_id, user_id) DO UPDATE
    SET threads = scopes.threads + excluded.threads, unread = scopes.unread + excluded.unread

-- name: drop_empty_scopes
DELETE FROM scopes WHERE user_id = $1 AND threads = 0

-- name: find_mailbox
INSERT INTO mailboxes (user_id, id, account_id, path, delimiter, special_use, selectable, discarded, scopes)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
WHERE NOT EXISTS (SELECT FROM removed_accounts r WHERE r.account_id = $3 AND r.user_id = $1)
ON CONFLICT (id) DO UPDATE SET path = excluded.path, delimiter = excluded.delimiter, special_use = excluded.special_use,
    selectable = excluded.selectable, discarded = excluded.discarded, scopes = excluded.scopes

-- name: open_generation
UPDATE mailboxes SET shown = $3, shown_validity = $4 WHERE id = $2 AND user_id = $1 AND shown IS NULL
RETURNING id

-- name: stage_generation
UPDATE mailboxes SET staged = $3, staged_validity = $4, staged_uidnext = $5
WHERE id = $2 AND user_id = $1 AND shown < $3 AND coalesce(staged, 0) < $3

-- name: commit_generation
UPDATE mailboxes SET shown = staged, shown_validity = staged_validity, staged = NULL, staged_validity = NULL,
    staged_uidnext = NULL
WHERE id = $2 AND user_id = $1 AND staged = $3 RETURNING id

-- name: abandon_generation
UPDATE mailboxes SET staged = NULL, staged_validity = NULL, staged_uidnext = NULL
WHERE id = $2 AND user_id = $1 AND staged = $3

-- name: drop_other_generations
-- All that is neither shown nor staged.
DELETE FROM placements p USING mailboxes b
WHERE b.id = $2 AND b.user_id = $1 AND p.mailbox_id = b.id AND p.user_id = $1
    AND p.generation IS DISTINCT FROM b.shown AND p.generation IS DISTINCT FROM b.staged
RETURNING p.message_id

-- name: messages_in
-- Messages that a mailbox holds, in whatever generation.
SELECT DISTINCT message_id FROM placements WHERE mailbox_id = $2 AND user_id = $1

-- name: lose_mailbox
DELETE FROM mailboxes WHERE id = $2 AND user_id = $1

-- name: lose_placements
DELETE FROM placements WHERE mailbox_id = $2 AND user_id = $1

-- name: lose_departed
DELETE FROM departed WHERE mailbox_id = $2 AND user_id = $1

-- name: remove_departed
DELETE FROM departed WHERE account_id = $2 AND user_id = $1

-- name: remove_account
INSERT INTO removed_accounts (user_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: remove_mailboxes
DELETE FROM mailboxes WHERE account_id = $2 AND user_id = $1 RETURNING id

-- name: remove_pending
DELETE FROM pending WHERE account_id = $2 AND user_id = $1

-- name: remove_placements
DELETE FROM placements WHERE account_id = $2 AND user_id = $1

-- name: remove_attachments
DELETE FROM attachments WHERE account_id = $2 AND user_id = $1

-- name: remove_messages
-- What joins conversations stays until the erasure; what can be read goes now.
UPDATE messages SET subject = '', snippet = '', from_name = '', from_email = '', message_id = NULL, shown = false
WHERE account_id = $2 AND user_id = $1 RETURNING thread_id
