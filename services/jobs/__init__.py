"""Durable sync jobs (design §7): what is asked of sync for an account, kept in the KV bucket `sync_jobs`."""
