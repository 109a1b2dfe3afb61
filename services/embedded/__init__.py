"""nats-server and Postgres as children of one command, for a machine that has neither."""
