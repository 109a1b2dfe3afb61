-- name: sequence
SELECT sequence FROM sync_memory WHERE user_id = $1 AND account_id = $2

-- name: remember_sequence
INSERT INTO sync_memory (user_id, account_id, sequence) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence

-- name: mailboxes
SELECT mailbox_id, path, delimiter, special_use, selectable, lost FROM sync_mailboxes WHERE user_id = $1 AND account_id = $2

-- name: remember_mailbox
INSERT INTO sync_mailboxes (user_id, account_id, mailbox_id, path, delimiter, special_use, selectable, lost)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (account_id, mailbox_id) DO UPDATE SET path = excluded.path, delimiter = excluded.delimiter,
  special_use = excluded.special_use, selectable = excluded.selectable, lost = excluded.lost

-- name: folded
SELECT generation, sequence FROM sync_mailboxes WHERE user_id = $1 AND account_id = $2 AND mailbox_id = $3

-- name: remember_folded
UPDATE sync_mailboxes SET generation = $4, sequence = $5 WHERE user_id = $1 AND account_id = $2 AND mailbox_id = $3

-- name: placements
SELECT uid, flags FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2

-- name: place
INSERT INTO sync_placements (user_id, account_id, mailbox_id, uid, flags) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (mailbox_id, uid) DO UPDATE SET flags = excluded.flags

-- name: reflag
-- UIDs as a multirange: a fact may name many that were never here.
UPDATE sync_placements SET flags = $4 WHERE user_id = $1 AND mailbox_id = $2 AND uid <@ $3::text::int8multirange

-- name: remove
DELETE FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2 AND uid <@ $3::text::int8multirange

-- name: clear
DELETE FROM sync_placements WHERE user_id = $1 AND mailbox_id = $2
