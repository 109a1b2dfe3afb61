-- name: quotas
SELECT account_id, used, allowed FROM account_quotas WHERE user_id = $1

-- name: checks
-- What sync found when it last compared each mailbox that is there with its server.
SELECT c.account_id, sum(c.on_server)::bigint AS on_server, bool_and(c.equal) AS equal,
       min(c.checked_at) AS checked_at, max(c.checked_at) AS latest
FROM sync_checks c JOIN mail.mailboxes b ON b.id = c.mailbox_id AND b.user_id = $1
WHERE c.user_id = $1 GROUP BY c.account_id

-- name: held
-- What the read model holds of the mailboxes that are compared.
SELECT count(*) FROM sync_checks c
JOIN mail.mailboxes b ON b.id = c.mailbox_id AND b.user_id = $1
JOIN mail.placements p ON p.mailbox_id = b.id AND p.generation = b.shown AND p.user_id = $1 AND NOT p.provisional
WHERE c.user_id = $1 AND c.account_id = $2
