DROP INDEX account_secrets_by_freshness;
ALTER TABLE account_secrets
  DROP COLUMN fresh_until, DROP COLUMN revision, DROP COLUMN refresher, DROP COLUMN refresher_until, DROP COLUMN refresh_after;
DROP TABLE sign_ins;
