"""The process that reads mail servers: it owns accounts by lease and appends what it sees to the log."""
