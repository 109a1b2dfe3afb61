-- name: accounts
SELECT a.account_id, a.state, a.code, a.retry_at, a.epoch, a.worker, a.last_sync_at, a.repaired_at, a.repaired,
    coalesce(p.synced, 0) AS synced, coalesce(p.total, 0) AS total
FROM accounts_state.accounts a LEFT JOIN (
    SELECT account_id, sum(synced)::bigint AS synced, sum(total)::bigint AS total
    FROM accounts_state.progress WHERE user_id = $1 GROUP BY account_id) p ON p.account_id = a.account_id
WHERE a.user_id = $1 ORDER BY a.account_id
