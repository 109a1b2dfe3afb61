-- name: sequence
SELECT sequence FROM sync_memory WHERE user_id = $1 AND account_id = $2

-- name: remember_sequence
INSERT INTO sync_memory (user_id, account_id, sequence) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence

-- name: mailboxes
SELECT mailbox_id, path, delimiter, special_use, selectable, lost, remote_id FROM sync_mailboxes
WHERE user_id = $1 AND account_id = $2

-- name: remember_mailboxes
INSERT INTO sync_mailboxes (user_id, account_id, mailbox_id, path, delimiter, special_use, selectable, lost, remote_id)
SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::boolean[], $9::text[])
ON CONFLICT (account_id, mailbox_id) DO UPDATE SET path = excluded.path, delimiter = excluded.delimiter,
  special_use = excluded.special_use, selectable = excluded.selectable, lost = excluded.lost, remote_id = excluded.remote_id

-- name: folded
SELECT mailbox_id, generation, sequence FROM sync_mailboxes
WHERE user_id = $1 AND account_id = $2 AND mailbox_id = ANY($3::uuid[])

-- name: remember_folded
UPDATE sync_mailboxes m SET generation = f.generation, sequence = $5
FROM unnest($3::uuid[], $4::int[]) AS f (mailbox_id, generation)
WHERE m.user_id = $1 AND m.account_id = $2 AND m.mailbox_id = f.mailbox_id

-- name: flags
SELECT uid, flags FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 ORDER BY uid

-- name: flags_of
SELECT uid, flags FROM sync_placements
WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 AND uid = ANY($4::bigint[])

-- name: uids
SELECT uid FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 ORDER BY uid

-- name: count
SELECT count(*) FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3

-- name: place
INSERT INTO sync_placements (user_id, account_id, mailbox_id, generation, uid, flags, message_id, blob, size, internal_date,
  evidence, unreadable, email_id, remote_thread)
SELECT $1, $2, $3, $4, uid, string_to_array(flags, ' '), message_id, blob, size, internal_date, evidence, unreadable,
  email_id, remote_thread
FROM unnest($5::bigint[], $6::text[], $7::uuid[], $8::text[], $9::bigint[], $10::timestamptz[], $11::text[], $12::text[],
  $13::text[], $14::text[])
  AS p (uid, flags, message_id, blob, size, internal_date, evidence, unreadable, email_id, remote_thread)
ON CONFLICT (mailbox_id, generation, uid) DO UPDATE SET flags = excluded.flags

-- name: reflag
-- UIDs as a multirange: a fact may name many that were never here.
UPDATE sync_placements SET flags = $5
WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 AND uid <@ $4::text::int8multirange

-- name: remove
DELETE FROM sync_placements
WHERE user_id = $1 AND mailbox_id = $2 AND generation = $3 AND uid <@ $4::text::int8multirange

-- name: change_content
UPDATE sync_placements SET blob = $4, size = $5, evidence = $6, unreadable = ''
WHERE user_id = $1 AND mailbox_id = $2 AND message_id = $3

-- name: clear_from
DELETE FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation >= $3

-- name: clear_before
DELETE FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND generation < $3

-- name: check
INSERT INTO sync_checks (user_id, account_id, mailbox_id, held, on_server, equal, checked_at)
VALUES ($1, $2, $3, $4, $5, $6, now())
ON CONFLICT (account_id, mailbox_id) DO UPDATE SET held = excluded.held, on_server = excluded.on_server,
  equal = excluded.equal, checked_at = excluded.checked_at

-- name: compared
SELECT mailbox_id FROM sync_checks WHERE user_id = $1 AND account_id = $2

-- name: check_again
UPDATE sync_checks SET checked_at = now() WHERE user_id = $1 AND account_id = $2 AND mailbox_id = ANY($3::uuid[])

-- name: uncheck
DELETE FROM sync_checks WHERE user_id = $1 AND account_id = $2 AND mailbox_id = $3
