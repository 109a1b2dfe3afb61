DROP TABLE account_quotas;
